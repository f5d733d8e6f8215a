import type { Claim } from './claims.js';
import type { Leg } from './leg.js';

/** The demo for programs: kind `DemoReport`. */
export function demoReport(
  legs: readonly Leg[],
  claims: readonly Claim[],
): Readonly<Record<string, unknown>> {
  return {
    passed: claims.every(({ holds }) => holds),
    legs: legs.map(
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
