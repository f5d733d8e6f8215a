import { randomUUID } from 'node:crypto';
import type { EvidenceIntent, EvidenceOutcome } from '../../domain/evidence.js';
import type { FailureType } from '../../domain/failures.js';
import type { ActivityClock } from '../dependencies.js';
import type { EvidenceStore } from '../evidence/evidence-store.js';
import { failureTypeOf } from '../failures.js';
import type { ClusterPorts } from '../ports.js';
import type { Claim } from './fence-verdict.js';
import type { FenceRecord } from './fence-record.js';
import { judgeFence } from './fence-verdict.js';
import { findEffect } from './find-effect.js';
import { requireFence, throwIfClosed } from './read-fence.js';

/** What one mutation is going to do, in the words of its evidence. Hashes are empty for absent contents. */
export interface MutationIntent {
  readonly verb: EvidenceIntent['verb'];
  readonly object: string;
  readonly before: string;
  readonly after: string;
  /** Why it was allowed, for a release: how the holder was proven dead. */
  readonly proof?: string;
}

/** One step's right to write, and its count of writes. */
export interface Writer {
  readonly ports: ClusterPorts;
  readonly claim: Claim;
  readonly step: string;
  readonly evidence: EvidenceStore;
  readonly clock: ActivityClock;
  /** Mutations that happened, and all that were begun, whatever came of them. */
  readonly counts: { mutations: number; intents: number };
  /** A reading of the fence by the look that the step began with; the first write may rest on it, once. */
  readonly seen: { fence: SeenFence | null };
}

/** A reading of the fence with the moment on our clock at which it was made. */
export interface SeenFence {
  readonly fence: FenceRecord | null;
  readonly serverTimeMs: number;
  readonly atMs: number;
}

/** One of several mutations that are sent at once. */
export interface FencedAct {
  readonly mutation: MutationIntent;
  readonly act: () => Promise<unknown>;
}

/** Refusals that prove that nothing was changed. Everything else leaves the outcome unknown until somebody looks. */
const REFUSALS: readonly FailureType[] = [
  'Throttled',
  'FenceLost',
  'ForeignNode',
  'Unguarded',
  'Forbidden',
  'Unauthorized',
  'PreconditionFailed',
  'NotSupported',
  'InvalidInput',
];

/**
 * The only way a step changes anything: re-read the fence, write down what is intended, act, write down what
 * came of it. When the answer was lost it looks for the effect; found, the step goes on as if it had heard.
 * What cannot be looked at stays open for the next epoch (`closeOpenIntents`).
 */
export async function fencedMutation(
  writer: Writer,
  mutation: MutationIntent,
  act: () => Promise<unknown>,
): Promise<void> {
  await checkFence(writer);
  await recordedMutation(writer, mutation, act);
}

/**
 * Several mutations that do not depend on each other, sent at once behind one reading of the fence: each of them
 * leaves right after it. All are waited for before the first failure is thrown.
 */
export async function fencedBatch(writer: Writer, acts: readonly FencedAct[]): Promise<void> {
  if (acts.length === 0) return;
  await checkFence(writer);
  const results = await Promise.allSettled(
    acts.map(({ mutation, act }) => recordedMutation(writer, mutation, act)),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** A look older than this is no fresh reading of the fence. */
const FRESH_MS = 1000;

async function checkFence({ ports, claim, clock, seen }: Writer): Promise<void> {
  const { fence } = seen;
  seen.fence = null;
  if (fence !== null && clock.nowMs() - fence.atMs <= FRESH_MS) {
    throwIfClosed(judgeFence(claim, fence.fence, fence.serverTimeMs));
    return;
  }
  await requireFence(ports.api, claim, { timeoutMs: claim.timings.requestMs });
}

/** The same without the fence, for the fence's own changes. */
export async function recordedMutation(
  writer: Writer,
  mutation: MutationIntent,
  act: () => Promise<unknown>,
): Promise<void> {
  const intent = intentOf(writer, mutation);
  writer.counts.intents += 1;
  await writer.evidence.begin(intent);
  try {
    await act();
  } catch (error) {
    if (await settle(writer, intent, error)) return;
    throw error;
  }
  writer.counts.mutations += 1;
  await finish(writer, intent, 'applied', '');
}

function intentOf({ claim, step, clock }: Writer, mutation: MutationIntent): EvidenceIntent {
  return {
    id: randomUUID(),
    runId: claim.runId,
    workflowId: claim.workflowId,
    cluster: claim.cluster.name,
    epoch: claim.epoch,
    step,
    actor: claim.actor,
    reason: claim.reason,
    planDigest: claim.planDigest,
    at: new Date(clock.nowMs()).toISOString(),
    verb: mutation.verb,
    object: mutation.object,
    before: mutation.before,
    after: mutation.after,
    proof: mutation.proof ?? '',
  };
}

/** True when the effect is there after all. */
async function settle(writer: Writer, intent: EvidenceIntent, error: unknown): Promise<boolean> {
  const type = failureTypeOf(error);
  const detail = error instanceof Error ? error.message : 'unknown error';
  if (type !== null && REFUSALS.includes(type)) {
    await finish(writer, intent, 'refused', detail);
    return false;
  }
  const found = await lookForEffect(writer, intent);
  if (found === null) return false;
  if (found === 'applied' && type === 'Conflict') {
    // The server said no to this request, so what is there is somebody else's doing, or an earlier write of ours.
    await finish(writer, intent, 'refused', `it was there already (${detail})`);
    return true;
  }
  if (found === 'applied') {
    writer.counts.mutations += 1;
    await finish(
      writer,
      intent,
      'foundApplied',
      `the answer was lost (${detail}); the effect is there`,
    );
    return true;
  }
  const refused = type === 'Conflict' || type === 'ForeignEdit';
  await finish(writer, intent, refused ? 'refused' : 'foundNotApplied', detail);
  return false;
}

const LOOKS = 3;

/** Null when the place of the effect could not be looked at. */
async function lookForEffect(
  { ports, claim, clock }: Writer,
  intent: EvidenceIntent,
): ReturnType<typeof findEffect> extends Promise<infer Found> ? Promise<Found | null> : never {
  for (let look = 1; look <= LOOKS; look += 1) {
    try {
      return await findEffect(ports, intent, { timeoutMs: claim.timings.requestMs });
    } catch {
      // Whatever lost the answer may also hide the effect for a moment; the last attempt decides.
      await clock.sleep(claim.timings.pollMs);
    }
  }
  return null;
}

/** Closes, by looking, the intents about one object that a dead or cut-off attempt of this run left open. */
export async function closeOpenIntentsOf(writer: Writer, object: string): Promise<void> {
  const open = await openIntents(writer);
  for (const intent of open.filter((each) => each.object === object)) {
    await closeByLooking(writer, intent);
  }
}

/** The same of all objects, before anything else is changed. Returns how many. */
export async function closeOpenIntents(writer: Writer): Promise<number> {
  const open = await openIntents(writer);
  for (const intent of open) await closeByLooking(writer, intent);
  return open.length;
}

/**
 * The same without what cannot be asked now, where nothing but the fence is changed: a node that has crashed in the
 * middle of a write must keep nobody from taking it, or the run would try for minutes and not say why. Its intents are
 * closed before the next step changes anything.
 */
export async function closeReachableIntents(writer: Writer): Promise<number> {
  let closed = 0;
  for (const intent of await openIntents(writer)) {
    try {
      await closeByLooking(writer, intent);
      closed += 1;
    } catch (error) {
      if (!AWAY.includes(failureTypeOf(error))) throw error;
    }
  }
  return closed;
}

/** How a node that is gone or cut off answers. */
const AWAY: readonly ReturnType<typeof failureTypeOf>[] = ['Unreachable', 'Timeout'];

function openIntents({ claim, evidence }: Writer): Promise<readonly EvidenceIntent[]> {
  return evidence.openIntents({ workflowId: claim.workflowId, runId: claim.runId });
}

async function closeByLooking(writer: Writer, intent: EvidenceIntent): Promise<void> {
  const { claim, ports } = writer;
  const found = await findEffect(ports, intent, { timeoutMs: claim.timings.requestMs });
  const detail =
    found === 'changed' ? 'another content is there now' : 'looked for by a later epoch';
  await finish(writer, intent, found === 'applied' ? 'foundApplied' : 'foundNotApplied', detail);
}

async function finish(
  { claim, evidence, clock }: Writer,
  intent: EvidenceIntent,
  kind: EvidenceOutcome['kind'],
  detail: string,
): Promise<void> {
  const at = new Date(clock.nowMs()).toISOString();
  await evidence.finish({ workflowId: claim.workflowId, runId: claim.runId }, intent.id, {
    kind,
    at,
    detail,
  });
}
