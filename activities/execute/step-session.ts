import type { GateVerdict } from '../../domain/gates.js';
import type { ClusterObservation } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { RunTimings, StepInput } from '../contract.js';
import type { ActivityScope } from '../dependencies.js';
import type { Writer } from '../fence/fenced-mutation.js';
import type { SlowPart, SlowParts } from '../observe/slow-parts.js';
import type { TakenLook } from '../observe/take-look.js';
import type { CallOptions } from '../ports.js';

/** One running step: its right to write, the observation before it, and its progress reports. */
export interface StepSession extends Writer {
  readonly input: StepInput;
  readonly scope: ActivityScope;
  /** The observation that this step starts with. */
  readonly before: ClusterObservation;
  /** The same with the parts that only the worker keeps. */
  readonly look: TakenLook;
  /** Cached reads of that observation, for observations within the step. */
  readonly slow: SlowParts;
  /** What happened so far, for people: sentences without full stop. */
  readonly notes: string[];
}

/** When an effect removed the owner of migrated controllers, if it did. */
export interface EffectReport {
  readonly lost: { readonly nodeMs: number; readonly ourMs: number } | null;
  /** Cached reads that it invalidated; the observation after it re-reads them. */
  readonly changed?: readonly SlowPart[];
  /** Cached reads known from the answers to its own writes. */
  readonly learned?: Partial<SlowParts>;
  /** Its own final observation, if it made one: then none is made after it. */
  readonly look?: TakenLook;
  /** What it measured itself, besides the hard gates that are measured after every step. */
  readonly verdicts?: readonly GateVerdict[];
}

export const NOTHING_LOST: EffectReport = { lost: null };

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
