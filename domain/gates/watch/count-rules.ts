import type { MetricGatePolicy } from '../../policy.js';
import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import type { CountBaseline } from '../counts/count-baseline.js';
import { type CountRule, USUAL_COUNT_RULE } from '../counts/count-rule.js';

export type RuleFor = (baseline: CountBaseline | null) => CountRule;

/** The rule of a gate that counts: the chance to fail falsely is split over all such gates of the run. */
export function countRule(
  { falseAlarms, tolerance, unmeasuredMs, own = [] }: MetricGatePolicy,
  limit: number | null,
  catalogue: readonly CatalogueGate[],
): RuleFor {
  const counting =
    catalogue.filter((each) => 'limit' in each.measure).length +
    own.filter(({ kind }) => kind !== 'gauge').length;
  return (baseline) => ({
    ...USUAL_COUNT_RULE,
    ...{ baseline, limit, tolerance, falseAlarms },
    ...{ gates: Math.max(1, counting), staleAfterMs: unmeasuredMs },
  });
}
