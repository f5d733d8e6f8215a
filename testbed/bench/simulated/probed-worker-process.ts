import { EVERYONE } from '../../../config/environment.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledProgram } from '../../../devserver/package-files.js';
import { startChild, type Child } from '../../../devserver/processes/child.js';
import {
  workerEnvironment,
  type WorkerLaunch,
} from '../../../devserver/processes/worker-process.js';
import type { Environment } from '../../../devserver/process-environment.js';

/** The product's worker, watched from outside. */
export interface ProbedWorker {
  readonly child: Child;
  /** Bytes that survive a garbage collection now. */
  readonly liveHeap: () => Promise<number>;
  /** Its page of metrics. */
  readonly metrics: () => Promise<string>;
}

const READY_WITHIN_MS = 120_000;
const HEAP_WITHIN_MS = 120_000;

/** Starts it, and waits until it serves its queues. */
export async function startProbedWorker(
  launch: WorkerLaunch & { readonly metricsPort: number },
  env: Environment,
): Promise<ProbedWorker> {
  const address = `127.0.0.1:${launch.metricsPort}`;
  const child = await startChild({
    name: 'worker',
    program: compiledProgram('testbed', 'bench', 'simulated', 'probed-worker.js'),
    arguments: [],
    logFile: launch.logFile,
    env: {
      CCM_MIGRATE_ACCESS_POLICY: EVERYONE,
      ...workerEnvironment(launch, env),
      CCM_MIGRATE_METRICS_ADDRESS: address,
    },
  });
  try {
    await child.line((line) => (line.startsWith('{"type":"ready"') ? line : null), READY_WITHIN_MS);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    child,
    liveHeap: heapReader(child),
    metrics: async () => (await fetch(`http://${address}/metrics`)).text(),
  };
}

/** The first collection finishes what weak references delay, so the second reading counts. */
function heapReader(child: Child): () => Promise<number> {
  let asked = 0;
  const once = (): Promise<number> => {
    asked += 1;
    const prefix = `{"liveHeap":${asked},"bytes":`;
    process.kill(child.pid, 'SIGUSR2');
    return child.line(
      (line) => (line.startsWith(prefix) ? Number.parseInt(line.slice(prefix.length), 10) : null),
      HEAP_WITHIN_MS,
    );
  };
  return async () => {
    await once();
    await sleep(1_000);
    return once();
  };
}
