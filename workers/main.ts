import type { Logger } from 'pino';
import type { Authority } from '../activities/dependencies.js';
import { closeTransports } from '../activities/adapters/shared-transports.js';
import { openEvidence } from '../activities/evidence/open-evidence.js';
import { isNamedWorker, recordSigner } from '../activities/authority/record-signatures.js';
import { createFleetActivities } from '../activities/fleet/fleet-activities.js';
import { createActivities, createGuardActivities } from '../activities/index.js';
import { readSigningKey, type SigningKey } from '../config/access/signing-key-file.js';
import { codeDigest } from '../config/build-id.js';
import { readBundle } from '../config/bundle-file.js';
import { readDataConverter } from '../config/data-converter.js';
import { type WorkerEnvironment, readWorkerEnvironment } from '../config/environment.js';
import { USER_AGENTS } from '../config/names.js';
import { activityDependencies, fleetDependencies, fleetWatch } from './activity-dependencies.js';
import { openAccessPolicy } from './access-file.js';
import { boundLeaving } from './bounded-leaving.js';
import type { FleetWatch } from './fleet-watch.js';
import { serveHealth } from './health-server.js';
import { openInventory } from './followed-inventory.js';
import { createLog } from './logging.js';
import { createLoopMeter } from './loop-meter.js';
import { createReadiness, workerNeeds } from './readiness.js';
import { type RunningWorkers, createWorkers, requireSearchAttributes } from './run-workers.js';
import { installRuntime } from './telemetry.js';
import { connectTemporal } from './temporal-connection.js';
import { type Role, leavesWithinMs, readRoles } from './worker-options.js';
import { BUILT_BUNDLE } from './workflow-bundle.js';

/** sysexits: the command line or the environment is wrong. */
const EXIT_USAGE = 64;

async function serve(environment: WorkerEnvironment, roles: readonly Role[]): Promise<void> {
  const { temporal, metrics: shownAt } = environment;
  const log = createLog(environment.logLevel);
  const leaving = boundLeaving(log);
  const metrics = installRuntime(log, shownAt);
  const signsWith = await keyOf(environment);
  const [bundle, build, inventory, dataConverter, evidence] = await Promise.all([
    readBundle(BUILT_BUNDLE),
    codeDigest(),
    openInventory(environment.inventory, environment),
    readDataConverter(environment.payloadKeys),
    evidenceOf(environment, signsWith, log),
  ]);
  const temporalConnection = await connectTemporal(temporal, log);
  try {
    const [{ connection }, { namespace }] = [temporalConnection, temporal];
    await requireSearchAttributes(connection, namespace);
    const authority = await authorityOf(environment, { ...inventory, log }, signsWith);
    const of = {
      ...{ connection, namespace, dataConverter, build, authority, log, metrics, ...inventory },
      evidence: evidence.store,
    };
    const loop = createLoopMeter({ limits: environment.loopLimits, log, show: metrics.showLoop });
    const workers = await createWorkers(roles, {
      ...environment,
      ...{ connection, namespace, dataConverter, bundle, build, signsWith, gate: loop },
      steps: createActivities(activityDependencies(of, USER_AGENTS.steps)),
      guards: createGuardActivities(activityDependencies(of, USER_AGENTS.guard)),
      fleets: createFleetActivities(fleetDependencies(of)),
    });
    const endWatches = beginWatches(roles, { guards: loop, fleets: shownAt && fleetWatch(of) });
    const notReady = readinessOf(workers, { ...of, inventory });
    await runServed(workers, environment.health, notReady, (health) => {
      leaving.serves(workers.leave, leavesWithinMs(environment.shutdownGraceMs));
      print(readyLine(environment, roles, health, bundle.digest));
    }).finally(endWatches);
  } finally {
    await Promise.all([temporalConnection.close(), closeTransports(), evidence.close()]);
  }
}

/** What those roles need beside their workers; returns what ends it. */
function beginWatches(
  roles: readonly Role[],
  watches: Partial<Record<Role, Pick<FleetWatch, 'begin'> | null>>,
): () => void {
  const ends = roles.flatMap((role) => watches[role]?.begin() ?? []);
  return () => {
    for (const end of ends) end();
  };
}

async function keyOf({ workerKey }: WorkerEnvironment): Promise<SigningKey | null> {
  return workerKey === '' ? null : readSigningKey(workerKey);
}

async function evidenceOf(
  environment: WorkerEnvironment,
  signsWith: SigningKey | null,
  log: Logger,
): ReturnType<typeof openEvidence> {
  const evidence = await openEvidence(environment, 'write', signsWith && recordSigner(signsWith));
  log.info({ place: evidence.place }, 'evidence');
  return evidence;
}

async function authorityOf(
  { accessPolicy: policy, policySigners: signers }: WorkerEnvironment,
  of: Parameters<typeof openAccessPolicy>[1],
  signsWith: SigningKey | null,
): Promise<Authority | null> {
  if (policy !== null) {
    const authority = await openAccessPolicy({ policy, signers }, of);
    const access = await authority.policy();
    if (!isNamedWorker(access, signsWith?.keyId ?? '')) of.log.warn(UNNAMED);
    return authority;
  }
  of.log.warn('no access policy: all who reach the Temporal namespace may change these clusters');
  return null;
}

const UNNAMED =
  'spec.workers of the access policy does not name the key of this worker (CCM_MIGRATE_WORKER_KEY): no worker believes what it records, and it admits no commands';

function readinessOf(
  workers: RunningWorkers,
  of: Parameters<typeof workerNeeds>[0] & { readonly log: Logger },
): () => Promise<readonly string[]> {
  const missing = createReadiness(workerNeeds(of), { nowMs: Date.now, log: of.log });
  return async () => [...workers.notReady(), ...(await missing())];
}

async function runServed(
  workers: RunningWorkers,
  healthAt: WorkerEnvironment['health'],
  notReady: () => Promise<readonly string[]>,
  onReady: (health: string) => void,
): Promise<void> {
  const health = await serveHealth(healthAt, notReady);
  try {
    const running = workers.run();
    onReady(health.address);
    await running;
  } finally {
    await health.close();
  }
}

/** One line of JSON on stdout, once: the parent process waits for it. */
function readyLine(
  { temporal, region, metrics }: WorkerEnvironment,
  roles: readonly Role[],
  health: string,
  bundle: string,
): string {
  return JSON.stringify({
    type: 'ready',
    pid: process.pid,
    roles,
    region,
    temporal: temporal.address,
    namespace: temporal.namespace,
    health,
    metrics: metrics === null ? null : `${metrics.host}:${String(metrics.port)}`,
    bundle,
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`worker: ${problem}\n`);
}

async function main(): Promise<number> {
  // Evidence and logs are for the user that the worker runs as.
  process.umask(0o077);
  const read = readWorkerEnvironment(process.env);
  if (read.kind === 'invalid') {
    complain(read.problems);
    return EXIT_USAGE;
  }
  let roles: readonly Role[];
  try {
    roles = readRoles(process.argv.slice(2));
  } catch (error) {
    complain([error instanceof Error ? error.message : 'bad command line']);
    return EXIT_USAGE;
  }
  try {
    await serve(read.environment, roles);
    return 0;
  } catch (error) {
    complain([error instanceof Error ? error.message : 'unknown error']);
    return 1;
  }
}

// A process that failed before its first worker does not exit by itself: the SDK's runtime keeps it alive.
process.exit(await main());
