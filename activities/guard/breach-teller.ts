import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { RunContext } from '../contract.js';
import type { ActivityDependencies } from '../dependencies.js';
import { plainMessage } from '../failures.js';
import { breachesOf } from './guard-memory.js';

/** A breach that comes and goes must not fill the run's history with signals. */
const SAME_AGAIN_MS = 30_000;

/** Signals breaches to the run's workflow. */
export interface BreachTeller {
  /** `isNew`: the fence did not say this before. What could not be told is told with the next round. */
  tell(verdicts: readonly GateVerdict[], isNew: boolean): Promise<void>;
}

/**
 * Tells the same set at most every 30 s. A signal that is late lets no write pass, since the fence has the breach; but a run that
 * waits turns back only once it is told.
 */
export function openBreachTeller(
  { clock, log, announceBreach }: Pick<ActivityDependencies, 'clock' | 'log' | 'announceBreach'>,
  { cluster }: Pick<RunContext, 'cluster'>,
): BreachTeller {
  const toldAtMs = new Map<string, number>();
  let isOwed = false;
  return {
    tell: async (verdicts, isNew) => {
      if (!isNew && !isOwed) return;
      const breaches = breachesOf(verdicts);
      const codes = [...new Set(breaches.map(({ code }) => code))].sort().join();
      if (codes === '') return;
      const nowMs = clock.nowMs();
      const isKnown = nowMs - (toldAtMs.get(codes) ?? -Infinity) < SAME_AGAIN_MS;
      try {
        if (!isKnown) {
          await announceBreach?.(breaches);
          toldAtMs.set(codes, nowMs);
        }
        isOwed = false;
      } catch (error) {
        if (!isOwed) log.warn('a breach could not be announced', said(cluster.name, codes, error));
        isOwed = true;
      }
    },
  };
}

function said(cluster: string, codes: string, error: unknown): Readonly<Record<string, unknown>> {
  return { cluster, codes, error: plainMessage(error) };
}
