import { Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { HostPort } from '../config/host-port.js';
import { type FleetMetrics, fleetMetrics } from './fleet-telemetry.js';
import { temporalLog } from './logging.js';

/** Counts requests to clusters, by verb and answer; shown as `ccm_migrate_api_requests_total`. */
export type CountRequest = (seen: {
  readonly method: string;
  readonly code: number | null;
}) => void;

/** Our own metrics. */
export interface WorkerMetrics {
  readonly countRequest: CountRequest;
  /** Milliseconds; shown as `ccm_migrate_guard_gap_seconds`. */
  readonly recordGuardGap: (gapMs: number) => void;
  /** How busy the event loop is, 0 to 1 and null while that is not known, and whether new guards are taken. */
  readonly showLoop: (utilisation: number | null, admits: boolean) => void;
  readonly fleets: FleetMetrics;
}

const GUARD_GAP = 'ccm_migrate_guard_gap';

/** Seconds. A guard observes each second, is late above 2, and without it no step writes after 15. */
const GUARD_GAP_BUCKETS = [
  ...[0.25, 0.5, 0.75, 1, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5],
  ...[1.75, 2, 2.5, 3, 5, 10, 15, 30, 60],
];

/**
 * Once, before anything else of the SDK: its logs go to ours, its metrics (and our own beside them) to a
 * Prometheus address.
 */
export function installRuntime(log: Logger, metrics: HostPort | null): WorkerMetrics {
  const runtime = Runtime.install({
    logger: temporalLog(log),
    // We decide the shutdown order: guards end after the steps they guard.
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} },
      ...(metrics === null
        ? {}
        : {
            metrics: {
              prometheus: {
                bindAddress: `${metrics.host}:${String(metrics.port)}`,
                countersTotalSuffix: true,
                unitSuffix: true,
                useSecondsForDurations: true,
                histogramBucketOverrides: { [GUARD_GAP]: GUARD_GAP_BUCKETS },
              },
            },
          }),
    },
  });
  return ownMetrics(runtime.metricMeter);
}

function ownMetrics(meter: Runtime['metricMeter']): WorkerMetrics {
  const requests = meter.createCounter(
    'ccm_migrate_api_requests',
    'requests',
    'Requests sent to clusters, retries included',
  );
  const gaps = meter.createHistogram(
    GUARD_GAP,
    'float',
    'seconds',
    'Between two observations of a guard while writes may come',
  );
  return {
    countRequest: ({ method, code }) => {
      requests.add(1, { method, code: code === null ? 'none' : String(code) });
    },
    recordGuardGap: (gapMs) => {
      gaps.record(gapMs / 1000);
    },
    showLoop: loopGauges(meter),
    fleets: fleetMetrics(meter),
  };
}

function loopGauges(meter: Runtime['metricMeter']): WorkerMetrics['showLoop'] {
  const loop = meter.createGauge(
    'ccm_migrate_loop_utilisation_ratio',
    'float',
    undefined,
    'Which share of the last 10 seconds the event loop worked',
  );
  const admitting = meter.createGauge(
    'ccm_migrate_guards_admitted',
    'int',
    undefined,
    '1 where new guards are taken, 0 while the event loop is too busy',
  );
  return (utilisation, admits) => {
    if (utilisation !== null) loop.set(utilisation);
    admitting.set(admits ? 1 : 0);
  };
}
