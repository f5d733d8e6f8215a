import type { TimeSeries } from '../samples/time-series.js';

/** Tells the numbers of one answer apart. */
const PART = 'ccm_migrate_part';

/** Several expressions as one query: each of their series says of which it is. */
export function joinedParts(parts: readonly (readonly [part: string, promql: string])[]): string {
  return parts
    .map(([part, promql]) => `label_replace(${promql}, "${PART}", "${part}", "", "")`)
    .join(' or ');
}

export function partOf({ labels }: TimeSeries): string {
  return labels.get(PART) ?? '';
}
