import type { FailureType } from '../../domain/failures.js';
import type { RunContext } from '../contract.js';
import { failure, failureTypeOf } from '../failures.js';
import type { LeaseObject } from '../lease-reading.js';
import type { CallOptions, KubernetesApi } from '../ports.js';
import { isSoftCode } from '../../domain/gates/soft-codes.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { WaivedKey } from '../../domain/policy.js';
import type { BreachLine, FenceMode, FenceRecord } from './fence-record.js';
import {
  FENCE,
  breachKey,
  breachLines,
  fenceNotes,
  readFence,
  renewalLimitMs,
  softVerdictOf,
} from './fence-record.js';

/** The current fence and the API server's clock (epoch ms); `fence` is null when there is none. */
export interface FenceReading {
  readonly fence: FenceRecord | null;
  readonly serverTimeMs: number;
}

/** Reads the fence through a list, whose answer carries the server's clock even when the fence is absent. */
export async function listFence(api: KubernetesApi, options?: CallOptions): Promise<FenceReading> {
  const { apiVersion, kind, namespace, name } = FENCE;
  const page = await api.list<LeaseObject>(
    { apiVersion, kind, namespace },
    { ...options, fieldSelector: `metadata.name=${name}` },
  );
  const lease = page.items.find(({ metadata }) => metadata?.name === name);
  return {
    fence: lease === undefined ? null : readFence(lease),
    serverTimeMs: page.serverTimeMs,
  };
}

/** The fence by a single get, the cheapest way when it exists; `serverTimeMs` is 0 when it is gone. */
export async function getFence(api: KubernetesApi, options?: CallOptions): Promise<FenceReading> {
  const found = await api.get<LeaseObject>(FENCE, options);
  return found === null
    ? { fence: null, serverTimeMs: 0 }
    : { fence: readFence(found.object), serverTimeMs: found.serverTimeMs };
}

/** Re-reads the fence and throws `FenceLost`, `Unguarded` or `Breach` unless this claim may write now. */
export async function requireFence(
  api: KubernetesApi,
  token: FenceToken,
  options?: CallOptions,
): Promise<FenceRecord> {
  const { fence, serverTimeMs } = await getFence(api, options);
  requireOpen(judgeFence(token, fence, serverTimeMs));
  if (fence === null) throw failure('FenceLost', 'the fence is gone');
  return fence;
}

/** Turns a closed fence into the failure that says why. */
export function requireOpen(verdict: FenceVerdict): void {
  if (verdict.kind === 'open') return;
  const { type, message, verdicts = [] } = verdict;
  throw failure(type, message, verdicts.length === 0 ? {} : { details: { verdicts } });
}

/**
 * Records in the fence how often it needs to be renewed. Only a hint to the guard: when it is lost, the fence is renewed more
 * often than needed, or writes are refused until the guard has read the next hint.
 */
export async function setFenceMode(
  api: KubernetesApi,
  token: Pick<FenceToken, 'timings'>,
  fence: FenceRecord,
  mode: FenceMode,
): Promise<void> {
  await patchMode(api, token, fence, fenceNotes({ mode }));
}

/**
 * Wakes an idle fence and closes it: what its guard observed while idle may be half a minute old. Every renewal is
 * conditional on a reading of the fence (its resourceVersion), so the next successful one comes from a guard that has read
 * this change. True when done; false when the guard wrote at the same moment.
 */
export function wakeFence(
  api: KubernetesApi,
  token: Pick<FenceToken, 'timings'>,
  fence: FenceRecord,
): Promise<boolean> {
  const closed = { 'ccm-migrate.dev/guardedEpoch': null };
  return patchMode(api, token, fence, { ...fenceNotes({ mode: 'active' }), ...closed });
}

const ATTEMPTS = 8;

/** What a caller knows that makes its fence idle. */
interface Resting {
  /** The fence, just read: the first write is conditional on it. */
  readonly seen?: FenceRecord;
  /** Once it is aborted nothing is written: another attempt may already be taking a step, which needs the guard. */
  readonly signal: AbortSignal;
}

/** Makes the fence idle if it belongs to this run and epoch; any other one is left alone. */
export async function restFenceOf(
  api: KubernetesApi,
  token: Pick<FenceToken, 'timings' | 'runId' | 'epoch'>,
  { seen, signal }: Resting,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const known = attempt === 1 ? seen : undefined;
    const fence = known ?? (await listFence(api, { timeoutMs: token.timings.requestMs })).fence;
    if (fence?.runId !== token.runId || fence.epoch !== token.epoch) return;
    if (fence.mode === 'idle' || signal.aborted) return;
    if (await patchMode(api, token, fence, fenceNotes({ mode: 'idle' }))) return;
  }
}

async function patchMode(
  api: KubernetesApi,
  { timings }: Pick<FenceToken, 'timings'>,
  { resourceVersion }: FenceRecord,
  annotations: Readonly<Record<string, string | null>>,
): Promise<boolean> {
  try {
    const patch = { metadata: { resourceVersion, annotations } };
    await api.mergePatch(FENCE, patch, { timeoutMs: timings.requestMs });
    return true;
  } catch (error) {
    if (failureTypeOf(error) !== 'Conflict') throw error;
    return false;
  }
}

/** Whether the fence lets a run write now; otherwise the failure and its remedy. */
export type FenceVerdict =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'closed';
      readonly type: FailureType;
      readonly message: string;
      /** Where nothing but gates on metrics closes it: what each of them says. */
      readonly verdicts?: readonly GateVerdict[];
    };

/** What a run presents to the fence: its epoch, and the finding codes that its step cures. */
export interface FenceToken extends RunContext {
  readonly epoch: number;
  readonly cures: readonly string[];
  /** Gates on metrics do not stop it: a repair, or a step that has begun to write. */
  readonly passesSoft?: boolean;
  /** Soft gates that a person has skipped. */
  readonly waivedGates?: readonly WaivedKey[];
  /** Of the access policy that allowed it; absent where this worker has none. */
  readonly accessVersion?: number;
}

/**
 * Judges one reading of the fence. Both times are the API server's, so our clock does not matter. Ownership is checked first,
 * then whether this run's guard has confirmed this epoch (`Unguarded`: it may still do so), then its findings: a breach stops
 * every write except those of a step that cures exactly this breach.
 */
export function judgeFence(
  token: FenceToken,
  fence: FenceRecord | null,
  serverTimeMs: number,
): FenceVerdict {
  if (fence === null) return closed('FenceLost', 'the fence Lease kube-system/ccm-migrate is gone');
  if (fence.runId !== token.runId) return closed('FenceLost', lostTo(fence));
  if (fence.epoch !== token.epoch) {
    return closed(
      'FenceLost',
      `epoch ${String(token.epoch)} of this step is over: the fence is at epoch ${String(fence.epoch)}`,
    );
  }
  return (
    judgeAccess(token, fence) ?? judgeGuard(token, fence, serverTimeMs) ?? judgeBreach(token, fence)
  );
}

/** A policy that was replaced by a later one allows nothing any more, also on a worker that does not have the later one. */
function judgeAccess(
  { accessVersion = Infinity }: FenceToken,
  { accessVersion: seen = 0 }: FenceRecord,
): FenceVerdict | null {
  if (accessVersion >= seen) return null;
  return closed('AuthorityLost', olderPolicy(accessVersion, seen));
}

/** Why a worker's access policy does not count on a cluster. */
export function olderPolicy(version: number, seen: number): string {
  return `the access policy of this worker has version ${String(version)}, and the cluster has seen ${String(seen)}. Give it the later one`;
}

const NO_GUARD = 'Check that guard workers serve this region and have a free slot for this cluster';

/**
 * Whether the guard has confirmed this epoch recently; null when it has. A renewal far in the future is of a server whose clock is
 * wrong: it would stay recent for as long, without a guard.
 */
function judgeGuard(
  token: FenceToken,
  { guardedEpoch, epoch, renewedAtMs, mode }: FenceRecord,
  serverTimeMs: number,
): FenceVerdict | null {
  if (guardedEpoch !== epoch) {
    return closed(
      'Unguarded',
      `no guard has confirmed epoch ${String(epoch)} of this run. ${NO_GUARD}`,
    );
  }
  const age = renewedAtMs === null ? Infinity : serverTimeMs - renewedAtMs;
  const limit = renewalLimitMs(token, mode);
  const seconds = String(Math.round(Math.abs(age) / 1000));
  if (age < -limit) {
    return closed(
      'Unguarded',
      `the fence was renewed ${seconds} s in the future: the clocks of the API servers differ. Correct them`,
    );
  }
  if (age <= limit) return null;
  return closed(
    'Unguarded',
    `the fence was last renewed ${seconds} s ago: its guard is not running. ${NO_GUARD}`,
  );
}

function judgeBreach(token: FenceToken, fence: FenceRecord): FenceVerdict {
  const open = openBreaches(fence, token);
  if (open.length === 0) return { kind: 'open' };
  const seen = open.map(({ code, detail }) => `${code} ${detail}`).join('; ');
  const soft = open.map(softVerdictOf);
  const isSoft = soft.every((each) => each !== null);
  return {
    ...closed('Breach', `the guard found a breach: ${seen}`),
    ...(isSoft ? { verdicts: soft } : {}),
  };
}

/**
 * The breaches that such a step may not pass: neither acknowledged, nor skipped, nor cured by it. A gate on metrics that was accepted
 * and holds all the same was measured since, or could not be.
 */
export function openBreaches(
  { breach, acknowledged }: Pick<FenceRecord, 'breach' | 'acknowledged'>,
  {
    cures,
    passesSoft = false,
    waivedGates = [],
  }: Pick<FenceToken, 'cures' | 'passesSoft' | 'waivedGates'>,
): readonly BreachLine[] {
  const skipped = waivedGates.map(({ code, gate }) => `${code}:${gate}`);
  return breachLines(breach).filter(
    (line) =>
      !cures.includes(line.code) &&
      !(isSoftCode(line.code)
        ? passesSoft || skipped.includes(breachKey(line))
        : acknowledged.includes(breachKey(line))),
  );
}

function lostTo(fence: FenceRecord): string {
  return fence.runId === ''
    ? 'the fence was released; take it again before writing'
    : `${holderOf(fence)} holds the fence now`;
}

/** Describes the holder of the fence for people. */
export function holderOf(fence: FenceRecord): string {
  return `run ${fence.runId} of ${fence.workflowId || 'an unnamed workflow'} (${fence.actor || 'unknown actor'})`;
}

function closed(
  type: FailureType,
  message: string,
): Extract<FenceVerdict, { readonly kind: 'closed' }> {
  return { kind: 'closed', type, message };
}
