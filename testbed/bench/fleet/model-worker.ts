/** `node dist/testbed/bench/fleet/model-worker.js JSON`: a worker whose clusters are a model. The bench starts and kills it. */
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import { DATA_CONVERTER } from '../../../config/data-converter.js';
import { realClock } from '../../../activities/dependencies.js';
import { codeDigest } from '../../../config/build-id.js';
import { createFleetActivities } from '../../../activities/fleet/fleet-activities.js';
import { activityDependencies, fleetDependencies } from '../../../workers/activity-dependencies.js';
import { createLog } from '../../../workers/logging.js';
import type { GuardGate } from '../../../workers/loop-meter.js';
import { createWorkers } from '../../../workers/run-workers.js';
import { installRuntime } from '../../../workers/telemetry.js';
import { connectTemporal } from '../../../workers/temporal-connection.js';
import { ROLES } from '../../../workers/worker-options.js';
import { readBundle } from '../../../config/bundle-file.js';
import { BUILT_BUNDLE } from '../../../workers/workflow-bundle.js';
import { benchActivities } from './bench-activities.js';
import { openClusters } from './bench-cluster.js';
import { readJournal } from './bench-journal.js';
import { drawFleet } from './drawn-fleet.js';
import { openTurns } from './paced-turns.js';
import { BENCH_REGION } from './bench-input.js';
import type { ModelWorkerSettings } from './model-worker-process.js';

async function serve({ address, namespace, journal, parameters }: ModelWorkerSettings) {
  const log = createLog('warn');
  const metrics = installRuntime(log, null);
  const [bundle, build] = await Promise.all([readBundle(BUILT_BUNDLE), codeDigest()]);
  const { connection } = await connectTemporal(
    {
      ...{ address, namespace, encrypted: false },
      ...{ certificateFile: '', keyFile: '', authorityFile: '', apiKeyFile: '' },
    },
    log,
  );
  const server = { connection, namespace, dataConverter: DATA_CONVERTER };
  const { scope } = activityDependencies(
    {
      ...{ ...server, build, log, metrics },
      evidence: createFileEvidenceStore(''),
      findCluster: ({ name }) => Promise.reject(new Error(`${name} is a model`)),
      authority: null,
    },
    'bench',
  );
  const clusters = openClusters(drawFleet(parameters), readJournal(journal), {
    file: journal,
    nowMs: () => realClock.nowMs(),
  });
  const activities = benchActivities({
    ...{ clusters, steps: parameters.steps, clock: realClock, scope, build },
    turn: openTurns(parameters.startsPerSecond, () => realClock.nowMs()),
  });
  const workers = await createWorkers(ROLES, {
    ...{ ...server, bundle, build, signsWith: null, payloadKeys: '' },
    ...{ steps: activities, guards: activities, gate: ALWAYS_OPEN },
    fleets: createFleetActivities(fleetDependencies({ ...server, authority: null })),
    ...{ region: BENCH_REGION, clusterSlots: slotsFor(parameters.unproven) },
    ...{ stickyMs: 10_000, shutdownGraceMs: 5_000, versioning: 'off' },
  });
  process.once('SIGTERM', workers.leave);
  process.stdout.write('{"ready":true}\n');
  await workers.run();
}

/** What is measured is the fleet: its worker takes guards however busy it is. */
const ALWAYS_OPEN: GuardGate = { admits: () => true, onAdmitting: () => undefined };

/** Each unproven cluster has a guard. Some more, because one that ends frees its slot only after its run has ended. */
function slotsFor(unproven: number): number {
  return Math.max(320, Math.ceil(unproven * 1.2));
}

try {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- startModelWorker wrote it
  await serve(JSON.parse(process.argv[2] ?? '') as ModelWorkerSettings);
  process.exit(0);
} catch (error) {
  process.stderr.write(`model worker: ${error instanceof Error ? error.message : 'unknown'}\n`);
  process.exit(1);
}
