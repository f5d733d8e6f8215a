import type { Runtime } from '@temporalio/worker';
import type { FleetGauges } from '../domain/fleet/fleet-gauges.js';

/** Shows what was read of fleets. */
export interface FleetMetrics {
  /** `unreadMs`: how long ago the fleet answered; 0 for what was read just now. Without figures those before stay. */
  readonly show: (fleet: string, gauges: FleetGauges | null, unreadMs: number) => void;
  /** When the server listed the open fleets last. */
  readonly showListed: (atMs: number) => void;
}

/**
 * `ccm_migrate_fleet_…`. A gauge of the SDK cannot be taken back, so that a fleet that has ended is shown with zeros.
 * The SDK appends no unit to the names of gauges, unlike to those of counters and histograms.
 */
export function fleetMetrics(meter: Runtime['metricMeter']): FleetMetrics {
  const { clusters, leftOut, budget, blocked, oldest, unread, listed } = gaugesIn(meter);
  return {
    show: (fleet, gauges, unreadMs) => {
      unread.set(unreadMs / 1000, { fleet });
      if (gauges === null) return;
      for (const [state, count] of Object.entries(gauges.clusters)) {
        clusters.set(count, { fleet, state });
      }
      for (const [cause, count] of Object.entries(gauges.leftOut)) {
        leftOut.set(count, { fleet, cause });
      }
      for (const [reason, is] of Object.entries(gauges.blocked)) {
        blocked.set(is ? 1 : 0, { fleet, reason });
      }
      budget.set(gauges.budgetLeft, { fleet });
      oldest.set(gauges.needYouOldestMs / 1000, { fleet });
    },
    showListed: (atMs) => {
      listed.set(atMs / 1000);
    },
  };
}

function gaugesIn(meter: Runtime['metricMeter']) {
  const count = (name: string, description: string) =>
    meter.createGauge(`ccm_migrate_${name}`, 'int', undefined, description);
  const seconds = (name: string, description: string) =>
    meter.createGauge(`ccm_migrate_${name}_seconds`, 'float', 'seconds', description);
  return {
    clusters: count('fleet_clusters', 'Clusters of a fleet in each state'),
    leftOut: count('fleet_left_out', 'Clusters that were skipped, by what left them out'),
    budget: count('fleet_budget_left', 'How many more clusters may fail'),
    blocked: count('fleet_blocked', '1 where clusters wait for this and none changes or soaks'),
    oldest: seconds('fleet_need_you_oldest', 'How long the oldest need has waited for a person'),
    unread: seconds('fleet_unread', 'How long the fleet has not answered'),
    listed: seconds('fleets_listed_timestamp', 'Unix time of the last list of open fleets'),
  };
}
