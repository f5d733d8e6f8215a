import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { ProbeTimes } from '../../domain/probes/balancer-probe.js';
import { runningProcesses } from '../../domain/ownership/owners.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager } from '../../domain/vocabulary.js';
import type { StepInput } from '../contract.js';
import type { ActivityLog, ActivityScope } from '../dependencies.js';
import { failure } from '../failures.js';
import type { Writer } from '../fence/fenced-mutation.js';
import type { LeaseReading } from '../lease-reading.js';
import type { CachedRead, CachedReads } from '../observe/cached-reads.js';
import {
  type CollectedSnapshot,
  collectSnapshot,
  refreshSnapshot,
} from '../observe/collect-snapshot.js';
import type { CallOptions } from '../ports.js';
import type { RunTimings } from '../../domain/policy.js';

/** One running step: its right to write, the observation before it, and its progress reports. */
export interface StepSession extends Writer {
  readonly input: StepInput;
  readonly scope: ActivityScope;
  readonly log: ActivityLog;
  /** The observation that this step starts with. */
  readonly before: ClusterObservation;
  /** The same with the parts that only the worker keeps. */
  readonly snapshot: CollectedSnapshot;
  /** Cached reads of that observation, for observations within the step. */
  readonly cached: CachedReads;
  /** What happened so far, for people: sentences without full stop. */
  readonly notes: string[];
}

/** When an effect removed the owner of migrated controllers, if it did. */
export interface EffectReport {
  readonly lost: { readonly nodeMs: number; readonly ourMs: number } | null;
  /** Cached reads that it invalidated; the observation after it re-reads them. */
  readonly changed?: readonly CachedRead[];
  /** Cached reads known from the answers to its own writes. */
  readonly learned?: Partial<CachedReads>;
  /** Its own final observation, if it made one: then none is made after it. */
  readonly snapshot?: CollectedSnapshot;
  /** What it measured itself, besides the hard gates that are measured after every step. */
  readonly verdicts?: readonly GateVerdict[];
  readonly probe?: ProbeTimes;
}

export const NO_OWNERSHIP_LOSS: EffectReport = { lost: null };

export function policyOf({ input }: StepSession): MigrationPolicy {
  return input.policy;
}

export function timingsOf({ input }: StepSession): RunTimings {
  return input.timings;
}

/**
 * Options of one request inside a step. Cancellation does not abort requests inside a critical section: the
 * outcome of a write would be unknown; their deadline bounds them.
 */
export function requestOptions({ input }: StepSession): CallOptions {
  return { timeoutMs: input.timings.requestMs };
}

/** Reports progress as a heartbeat; proves that the attempt is alive. */
export function progress(session: StepSession, text: string): void {
  session.scope.heartbeat({ step: session.step, progress: text });
}

/** Notes a finished part of the step for its report. */
export function note(session: StepSession, text: string): void {
  session.notes.push(text);
  progress(session, text);
}

/** A safe point: here, and only here, cancellation ends the step. */
export function safePoint({ scope }: StepSession): void {
  scope.signal.throwIfAborted();
}

/**
 * Notes that a step ended a process that ran migrated controllers. `nodeMs` is the host's clock when it was proven
 * gone, which Lease times can be compared with; without an answer from the host, our clock is used.
 */
export function ownershipLossOf(
  { before, input: { policy }, clock }: StepSession,
  node: string,
  managers: readonly Manager[],
  nodeMs: number | null,
): EffectReport {
  const owned = ownersOf(before, policy).some(
    (owner) => owner.node.name === node && managers.includes(owner.manager),
  );
  const ourMs = clock.nowMs();
  return { lost: owned ? { nodeMs: nodeMs ?? ourMs, ourMs } : null };
}

/** Time without an owner at the end of the step, as far as its last observation shows, in ms. */
export function orphanMsOf(
  { lost }: EffectReport,
  after: ClusterObservation,
  leases: readonly LeaseReading[],
  policy: MigrationPolicy,
): number {
  if (lost === null) return 0;
  const holders = new Set(ownersOf(after, policy).map(({ process }) => process.identity));
  const taken = leases
    .filter(({ holder }) => holder !== '' && holders.has(holder))
    .flatMap(({ acquiredAtMs }) => acquiredAtMs ?? []);
  const ms =
    taken.length === 0 ? after.observedAtMs - lost.ourMs : Math.max(...taken) - lost.nodeMs;
  return Math.max(0, ms);
}

function ownersOf(
  observation: ClusterObservation,
  { lock }: MigrationPolicy,
): NonNullable<ReturnType<typeof runningProcesses>> {
  return lock.controllers.flatMap((controller) => runningProcesses(observation, controller) ?? []);
}

/** A later observation within the step; of the cached reads only `refresh` is read again. */
export function observeAgain(
  { input, ports, clock }: StepSession,
  { firstSeen, cached, live }: CollectedSnapshot,
  refresh: readonly CachedRead[],
  carriedPods = live.controlPlanePods,
): Promise<CollectedSnapshot> {
  const carried = { carried: cached, refresh, carriedPods };
  return collectSnapshot(ports, clock, { ...input, firstSeen, ...carried });
}

/** The same observation with the inventory read now: for a step that has waited for nothing and written nothing since. */
export function listInventory(
  { input, ports }: StepSession,
  snapshot: CollectedSnapshot,
): Promise<CollectedSnapshot> {
  const { firstSeen, cached } = snapshot;
  const request = { ...input, firstSeen, carried: cached, refresh: ['inventory'] as const };
  return refreshSnapshot(ports, snapshot, request);
}

export interface Wait<T> {
  /** What is awaited, for people: `the new process on cp-1`. */
  readonly what: string;
  readonly withinMs: number;
  /** Time between polls; the run's poll interval by default. */
  readonly everyMs?: number;
  /** Null while it has not appeared. */
  readonly snapshot: () => Promise<T | null>;
}

/**
 * Polls until the awaited result appears; `EffectNotSeen` when it does not in time. Cancellation is not
 * honoured here: callers wait inside critical sections.
 */
export async function waitFor<T>(session: StepSession, wait: Wait<T>): Promise<T> {
  const found = await observeUntil(session, wait);
  if (found !== null) return found;
  throw failure(
    'EffectNotSeen',
    `step ${session.step}: ${wait.what} was not seen within ${seconds(wait.withinMs)}. ` +
      'See `ccm-migrate describe`, then `ccm-migrate retry`',
  );
}

/** The same, but null instead of a failure when the time is up. */
export async function observeUntil<T>(session: StepSession, wait: Wait<T>): Promise<T | null> {
  const { clock } = session;
  const deadline = clock.nowMs() + wait.withinMs;
  for (;;) {
    const found = await wait.snapshot();
    if (found !== null) return found;
    if (clock.nowMs() >= deadline) return null;
    progress(session, `waiting for ${wait.what}`);
    await clock.sleep(wait.everyMs ?? timingsOf(session).pollMs);
  }
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1000))} s`;
}
