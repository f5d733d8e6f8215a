import { openUsage, type ProcessUsage } from '../fleet/process-usage.js';
import type { ProductSetup } from './product-setup.js';
import type { CpuSpent } from './simulated-figures.js';

/** What worker and server have used so far. */
export interface CpuMeter {
  /** Begins an interval; the returned function ends it. */
  readonly begin: () => () => CpuSpent;
  readonly workerPeakMiB: () => number;
}

export function openCpuMeter({ worker, serverPid }: ProductSetup): CpuMeter {
  const usage: Readonly<Record<'worker' | 'server', ProcessUsage>> = {
    worker: openUsage(),
    server: openUsage(),
  };
  const sampled = (): CpuSpent => {
    usage.worker.sample(worker.child.pid);
    usage.server.sample(serverPid());
    return {
      seconds: performance.now() / 1000,
      worker: usage.worker.cpuSeconds(),
      server: usage.server.cpuSeconds(),
    };
  };
  return {
    begin: () => {
      const from = sampled();
      return () => {
        const to = sampled();
        return {
          seconds: to.seconds - from.seconds,
          worker: to.worker - from.worker,
          server: to.server - from.server,
        };
      };
    },
    workerPeakMiB: () => {
      sampled();
      return usage.worker.peakMiB();
    },
  };
}
