import type { CatalogueGate } from '../../domain/gates/catalogue/catalogue-gate.js';
import type { WantedMetric } from '../../domain/gates/samples/metric-families.js';
import { wantedFor } from '../../domain/gates/watch/measured-values.js';

/** What these gates read on a page, each metric once: several gates read the same one. */
export function wantedBy(gates: readonly CatalogueGate[]): readonly WantedMetric[] {
  const wanted = gates.flatMap(({ measure }) => wantedFor(measure));
  return [...new Map(wanted.map((each) => [each.name, each])).values()];
}
