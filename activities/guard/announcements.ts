import type { GateVerdict } from '../../domain/gates.js';
import type { RunContext } from '../contract.js';
import type { ActivityDependencies } from '../dependencies.js';
import { breachesOf } from './guard-breaches.js';

/** A breach that comes and goes must not fill the run's history with signals. */
const SAME_AGAIN_MS = 30_000;

/**
 * Signals breaches to the run's workflow, the same set at most every 30 s. A missing or lost signal is harmless: the breach
 * is recorded in the fence and stops the next write there.
 */
export function openAnnouncements(
  dependencies: ActivityDependencies,
): (run: RunContext, verdicts: readonly GateVerdict[]) => Promise<void> {
  const { clock, log } = dependencies;
  const toldAtMs = new Map<string, number>();
  return async (run, verdicts) => {
    const breaches = breachesOf(verdicts);
    const codes = [...new Set(breaches.map(({ code }) => code))].sort().join();
    const nowMs = clock.nowMs();
    if (codes === '' || nowMs - (toldAtMs.get(codes) ?? -Infinity) < SAME_AGAIN_MS) return;
    toldAtMs.set(codes, nowMs);
    try {
      await dependencies.announceBreach?.(run, breaches);
    } catch (error) {
      log.warn('a breach could not be announced', {
        cluster: run.cluster.name,
        codes,
        error: error instanceof Error ? error.message : 'unknown error',
      });
    }
  };
}
