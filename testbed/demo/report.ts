import type { Claim } from './claims.js';
import type { DirectionRun } from './direction-run.js';

/** The demo's report for programs: kind `DemoReport`. */
export function demoReport(
  directions: readonly DirectionRun[],
  claims: readonly Claim[],
): Readonly<Record<string, unknown>> {
  return {
    passed: claims.every(({ holds }) => holds),
    directions: directions.map(
      ({
        target,
        outcome,
        durationSeconds,
        historyEvents,
        mutations,
        requests,
        truth,
        sources,
      }) => ({
        target,
        steps: outcome?.stepsDone ?? 0,
        durationSeconds,
        historyEvents,
        mutations,
        requests,
        truth,
        product: outcome?.guard ?? null,
        sources,
      }),
    ),
    claims,
  };
}
