import { Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { HostPort } from '../config/environment.js';
import { temporalLog } from './logging.js';

/** Counts requests to clusters, by verb and answer; shown as `ccm_migrate_api_requests_total`. */
export type CountRequest = (seen: {
  readonly method: string;
  readonly code: number | null;
}) => void;

/**
 * Once, before anything else of the SDK: its logs go to ours, its metrics (and our own beside them) to a
 * Prometheus address.
 */
export function installRuntime(log: Logger, metrics: HostPort | null): CountRequest {
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
              },
            },
          }),
    },
  });
  const requests = runtime.metricMeter.createCounter(
    'ccm_migrate_api_requests',
    'requests',
    'Requests sent to clusters, retries included',
  );
  return ({ method, code }) => {
    requests.add(1, { method, code: code === null ? 'none' : String(code) });
  };
}
