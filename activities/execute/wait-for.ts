import { failure } from '../failures.js';
import type { StepSession } from './step-session.js';
import { progress, timingsOf } from './step-session.js';

export interface Wait<T> {
  /** What is awaited, for people: `the new process on cp-1`. */
  readonly what: string;
  readonly withinMs: number;
  /** Time between polls; the run's poll interval by default. */
  readonly everyMs?: number;
  /** Null while it has not appeared. */
  readonly look: () => Promise<T | null>;
}

/**
 * Polls until the awaited result appears; `EffectNotSeen` when it does not in time. Cancellation is not
 * honoured here: callers wait inside critical sections.
 */
export async function waitFor<T>(session: StepSession, wait: Wait<T>): Promise<T> {
  const found = await lookUntil(session, wait);
  if (found !== null) return found;
  throw failure(
    'EffectNotSeen',
    `step ${session.step}: ${wait.what} was not seen within ${seconds(wait.withinMs)}. ` +
      'See `ccm-migrate describe`, then `ccm-migrate retry`',
  );
}

/** The same, but null instead of a failure when the time is up. */
export async function lookUntil<T>(session: StepSession, wait: Wait<T>): Promise<T | null> {
  const { clock } = session;
  const deadline = clock.nowMs() + wait.withinMs;
  for (;;) {
    const found = await wait.look();
    if (found !== null) return found;
    if (clock.nowMs() >= deadline) return null;
    progress(session, `waiting for ${wait.what}`);
    await clock.sleep(wait.everyMs ?? timingsOf(session).pollMs);
  }
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1000))} s`;
}
