import type { GateVerdict } from '../../domain/gates.js';
import type { ClusterObservation } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { RunTimings, StepInput } from '../contract.js';
import type { ActivityScope } from '../dependencies.js';
import type { Writer } from '../fence/fenced-mutation.js';
import type { SlowPart, SlowParts } from '../observe/slow-parts.js';
import type { TakenLook } from '../observe/take-look.js';
import type { CallOptions } from '../ports.js';

/** One step while it runs: its right to write, what was seen before it, and how it tells its progress. */
export interface StepSession extends Writer {
  readonly input: StepInput;
  readonly scope: ActivityScope;
  /** The look that this step begins with. */
  readonly before: ClusterObservation;
  /** The same with what only the worker keeps of it. */
  readonly look: TakenLook;
  /** Slow parts of that look, for looks within the step. */
  readonly slow: SlowParts;
  /** What happened so far, for people: sentences without full stop. */
  readonly notes: string[];
}

/** What an effect tells when it ends: when it took the owner of migrated controllers away, if it did. */
export interface EffectReport {
  readonly lost: { readonly nodeMs: number; readonly ourMs: number } | null;
  /** Slow parts that it changed; the look after it reads them anew. */
  readonly changed?: readonly SlowPart[];
  /** Slow parts that the answers to its own writes tell. */
  readonly learned?: Partial<SlowParts>;
  /** The look that it ended with, where it looked itself: then none is taken after it. */
  readonly look?: TakenLook;
  /** What it measured itself, beside the hard gates that are measured after every step. */
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
 * Options of one request inside a step. Requests inside a critical section are not cut off by cancellation:
 * the outcome of a write would be unknown; their deadline bounds them.
 */
export function requestOptions({ input }: StepSession): CallOptions {
  return { timeoutMs: input.timings.requestMs };
}

/** Tells progress as a heartbeat; proves that the attempt lives. */
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
