import { randomUUID } from 'node:crypto';
import type { EvidenceIntent, EvidenceOutcome } from '../../domain/evidence/record.js';
import type { FailureType } from '../../domain/failures.js';
import type { ActivityClock } from '../dependencies.js';
import type { EvidenceStore } from '../evidence/evidence-store.js';
import { failureTypeOf } from '../failures.js';
import type { ClusterPorts } from '../ports.js';
import type { FenceRecord } from './fence-record.js';
import { type EffectTrace, type FoundEffect, findEffect } from './find-effect.js';
import type { FenceToken } from './read-fence.js';
import { judgeFence, requireFence, requireOpen } from './read-fence.js';

/** The intent of one mutation, as recorded in evidence. Hashes are empty for absent contents. */
export interface MutationIntent extends EffectTrace {
  /** Why it was allowed, for a release: how the holder was proven dead. */
  readonly proof?: string;
  /** What is written, for people, without secrets. */
  readonly diff?: string;
}

/** One step's right to write, and its count of writes. */
export interface Writer {
  readonly ports: ClusterPorts;
  readonly token: FenceToken;
  readonly step: string;
  /** Digest of a step that was due; null where that was not asked. */
  readonly due?: string | null;
  readonly evidence: EvidenceStore;
  readonly clock: ActivityClock;
  /** Mutations that happened, and all that were started, whatever their outcome. */
  readonly counts: { mutations: number; intents: number };
  /** The reading of the fence from the step's first observation; the first write may use it, once. */
  readonly seen: { fence: SeenFence | null };
}

/** A reading of the fence with its time on our clock. */
export interface SeenFence {
  readonly fence: FenceRecord | null;
  readonly serverTimeMs: number;
  readonly atMs: number;
}

/** One of several mutations that are sent in parallel. */
export interface FencedAct {
  readonly mutation: MutationIntent;
  readonly act: () => Promise<unknown>;
}

/** Refusals that prove that nothing was changed. Everything else leaves the outcome unknown until it is observed. */
const REFUSALS: readonly FailureType[] = [
  'Throttled',
  'Breach',
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
 * The only way a step changes anything: re-read the fence, record the intent, act, record the outcome. When the answer was
 * lost it looks for the effect; if found, the step continues as if it had been answered. What cannot be observed stays open
 * for the next epoch (`closeOpenIntents`).
 */
export async function fencedMutation(
  writer: Writer,
  mutation: MutationIntent,
  act: () => Promise<unknown>,
): Promise<void> {
  await fencedBatch(writer, [{ mutation, act }]);
}

/**
 * Several independent mutations, sent in parallel after one reading of the fence; one that is sent later than that reading is
 * fresh, because recording its intent took long, reads the fence again. All are awaited before the first failure is thrown.
 */
export async function fencedBatch(writer: Writer, acts: readonly FencedAct[]): Promise<void> {
  if (acts.length === 0) return;
  const token = tokenOf(writer);
  const checkedAtMs = await checkFence(writer, token);
  const results = await Promise.allSettled(
    acts.map(({ mutation, act }) =>
      recordedMutation(writer, mutation, async () => {
        if (!isFresh(writer, checkedAtMs)) await requireOpenNow(writer, token);
        await act();
      }),
    ),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** A reading of the fence that is older lets nothing be written. */
const FRESH_MS = 1000;

function isFresh({ clock }: Writer, readAtMs: number): boolean {
  return clock.nowMs() - readAtMs <= FRESH_MS;
}

/** Returns when the fence was read, on our clock. */
async function checkFence(writer: Writer, token: FenceToken): Promise<number> {
  const { seen, clock } = writer;
  const { fence } = seen;
  seen.fence = null;
  if (fence !== null && isFresh(writer, fence.atMs)) {
    requireOpen(judgeFence(token, fence.fence, fence.serverTimeMs));
    return fence.atMs;
  }
  const readAtMs = clock.nowMs();
  await requireOpenNow(writer, token);
  return readAtMs;
}

async function requireOpenNow({ ports }: Writer, token: FenceToken): Promise<void> {
  await requireFence(ports.api, token, { timeoutMs: token.timings.requestMs });
}

/** Once a step has begun to write it finishes: gates on metrics stop a run between steps, never in the middle of one. */
function tokenOf({ counts, token }: Writer): FenceToken {
  return counts.intents > 0 ? { ...token, passesSoft: true } : token;
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

function intentOf(
  { token, step, due = null, clock }: Writer,
  mutation: MutationIntent,
): EvidenceIntent {
  return {
    id: randomUUID(),
    runId: token.runId,
    workflowId: token.workflowId,
    cluster: token.cluster.name,
    epoch: token.epoch,
    step,
    ...(due === null ? {} : { due }),
    actor: token.actor,
    reason: token.reason,
    planDigest: token.planDigest,
    at: new Date(clock.nowMs()).toISOString(),
    verb: mutation.verb,
    object: mutation.object,
    before: mutation.before,
    after: mutation.after,
    ...(mutation.diff === undefined || mutation.diff === '' ? {} : { diff: mutation.diff }),
    proof: mutation.proof ?? '',
  };
}

/** True when the effect took place after all. */
async function settle(writer: Writer, intent: EvidenceIntent, error: unknown): Promise<boolean> {
  const type = failureTypeOf(error);
  const detail = error instanceof Error ? error.message : 'unknown error';
  if (type !== null && REFUSALS.includes(type)) {
    await finish(writer, intent, 'refused', detail);
    return false;
  }
  const found = await readEffect(writer, intent);
  if (found === null) return false;
  if (found === 'applied' && type === 'Conflict') {
    // The server refused this request, so the present state comes from another actor or an earlier write of ours.
    await finish(writer, intent, 'refused', `it already existed (${detail})`);
    return true;
  }
  if (found === 'applied') {
    writer.counts.mutations += 1;
    await finish(
      writer,
      intent,
      'foundApplied',
      `the answer was lost (${detail}); the effect took place`,
    );
    return true;
  }
  const refused = type === 'Conflict' || type === 'ForeignEdit';
  await finish(writer, intent, refused ? 'refused' : 'foundNotApplied', detail);
  return false;
}

const READS = 3;

/** Null when the effect could not be observed. */
async function readEffect(
  { ports, token, clock }: Writer,
  intent: EvidenceIntent,
): Promise<FoundEffect | null> {
  for (let snapshot = 1; snapshot <= READS; snapshot += 1) {
    try {
      return await findEffect(ports, intent, { timeoutMs: token.timings.requestMs });
    } catch {
      // The cause of the lost answer may also hide the effect for a moment; the last attempt decides.
      await clock.sleep(token.timings.pollMs);
    }
  }
  return null;
}

/** Closes by observation the intents about one object that a dead or interrupted attempt of this run left open. */
export async function closeOpenIntentsOf(writer: Writer, object: string): Promise<void> {
  for (const intent of await openIntents(writer)) {
    if (intent.object === object) await closeByReading(writer, intent);
  }
}

/** The same for all objects, before anything else is changed. */
export async function closeOpenIntents(writer: Writer): Promise<void> {
  for (const intent of await openIntents(writer)) await closeByReading(writer, intent);
}

/**
 * The same without what is unreachable now, for when only the fence is changed: a node that crashed in the middle of a write
 * must not block taking the fence, or the run would retry for minutes without a reason. Its intents are closed before the
 * next step changes anything.
 */
export async function closeReachableIntents(writer: Writer): Promise<number> {
  let closed = 0;
  for (const intent of await openIntents(writer)) {
    try {
      await closeByReading(writer, intent);
      closed += 1;
    } catch (error) {
      if (!AWAY.includes(failureTypeOf(error))) throw error;
    }
  }
  return closed;
}

/** Failures of a node that is gone or unreachable. */
const AWAY: readonly ReturnType<typeof failureTypeOf>[] = ['Unreachable', 'Timeout'];

function openIntents({ token, evidence }: Writer): Promise<readonly EvidenceIntent[]> {
  return evidence.openIntents({ workflowId: token.workflowId, runId: token.runId });
}

async function closeByReading(writer: Writer, intent: EvidenceIntent): Promise<void> {
  const { token, ports } = writer;
  const found = await findEffect(ports, intent, { timeoutMs: token.timings.requestMs });
  const detail = found === 'changed' ? 'it has other content now' : 'checked by a later epoch';
  await finish(writer, intent, found === 'applied' ? 'foundApplied' : 'foundNotApplied', detail);
}

async function finish(
  { token, evidence, clock }: Writer,
  intent: EvidenceIntent,
  kind: EvidenceOutcome['kind'],
  detail: string,
): Promise<void> {
  const at = new Date(clock.nowMs()).toISOString();
  await evidence.finish({ workflowId: token.workflowId, runId: token.runId }, intent.id, {
    kind,
    at,
    detail,
  });
}
