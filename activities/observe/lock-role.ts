import { parseExposition } from '../../domain/gates/samples/exposition.js';
import type { MetricFamilies, WantedMetric } from '../../domain/gates/samples/metric-families.js';
import { pickedGauge } from '../../domain/gates/samples/picked-values.js';
import type { LockRole } from '../../domain/observation/observation.js';

const MASTER_STATUS: WantedMetric = { name: 'leader_election_master_status', type: 'gauge' };

/**
 * Role in an election from `leader_election_master_status{name}`: 1 held, 0 waiting, no series not tried yet. Without metrics
 * (null: nothing listens, or they could not be read) it is unknown, and so it is where they contradict themselves.
 * An exposition without any leader election series comes from a build that does not register them (OpenStack's
 * CCM does not import the client-go metrics package), so it proves nothing.
 * Source: component-base metrics/prometheus/clientgo/leaderelection/metrics.go
 */
export function lockRole(metrics: string | null, lease: string): LockRole {
  if (metrics === null) return 'unknown';
  // Node access returns the election's lines alone, the last one without its end.
  const page = parseExposition(`${metrics}\n`, [MASTER_STATUS]);
  return page.kind === 'refused' ? 'unknown' : roleOf(page.families, lease);
}

function roleOf(families: MetricFamilies, lease: string): LockRole {
  const pick = { metric: MASTER_STATUS.name, labels: { name: lease } };
  const status = pickedGauge(families, pick);
  if (status.kind === 'measured') {
    if (status.value === 1) return 'held';
    return status.value === 0 ? 'waiting' : 'unknown';
  }
  const family = families.get(MASTER_STATUS.name);
  const isElsewhere =
    family?.kind === 'series' && family.series.every(({ labels }) => labels.get('name') !== lease);
  return isElsewhere ? 'notTried' : 'unknown';
}
