import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { Logger } from 'pino';
import { closeTransports } from '../activities/adapters/shared-transports.js';
import { createActivities, createGuardActivities } from '../activities/index.js';
import { codeDigest } from '../config/build-id.js';
import type { HostPort } from '../config/environment.js';
import { type WorkerEnvironment, readWorkerEnvironment } from '../config/environment.js';
import { USER_AGENTS } from '../config/names.js';
import { activityDependencies, openInventory } from './activity-dependencies.js';
import { createLog } from './logging.js';
import {
  type RunningWorkers,
  connectTemporal,
  createWorkers,
  requireSearchAttributes,
} from './run-workers.js';
import { installRuntime } from './telemetry.js';
import { type Role, leavesWithinMs, readRoles } from './worker-options.js';
import { BUILT_BUNDLE, readBundle } from './workflow-bundle.js';

/** sysexits: the command line or the environment is wrong. */
const EXIT_USAGE = 64;

async function serve(environment: WorkerEnvironment, roles: readonly Role[]): Promise<void> {
  const { temporal, inventory, stateDirectory } = environment;
  const log = createLog(environment.logLevel);
  const leaving = boundLeaving(log);
  const countRequest = installRuntime(log, environment.metrics);
  const [bundle, build, findCluster] = await Promise.all([
    readBundle(BUILT_BUNDLE),
    codeDigest(),
    openInventory(inventory),
  ]);
  const connection = await connectTemporal(temporal);
  try {
    const { namespace } = temporal;
    await requireSearchAttributes(connection, namespace);
    const of = { connection, namespace, stateDirectory, build, findCluster, log, countRequest };
    const workers = await createWorkers(roles, {
      connection,
      namespace,
      bundle,
      build,
      region: environment.region,
      clusterSlots: environment.clusterSlots,
      stickyMs: environment.stickyMs,
      shutdownGraceMs: environment.shutdownGraceMs,
      versioning: environment.versioning,
      steps: createActivities(activityDependencies(of, USER_AGENTS.steps)),
      guards: createGuardActivities(activityDependencies(of, USER_AGENTS.guard)),
    });
    await runServed(workers, environment, (health) => {
      leaving.serves(workers.leave, leavesWithinMs(environment.shutdownGraceMs));
      print(readyLine(environment, roles, health, bundle.digest));
    });
  } finally {
    await Promise.all([connection.close(), closeTransports()]);
  }
}

async function runServed(
  workers: RunningWorkers,
  environment: WorkerEnvironment,
  onReady: (health: string) => void,
): Promise<void> {
  const health = await serveHealth(environment.health, workers.notReady);
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

/** The signals that end a process of ours: the terminal's and the service manager's. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export interface Leaving {
  /**
   * From now on steps in flight must complete; before, a signal ends the process at once. `go` starts the graceful shutdown,
   * which may take `withinMs`.
   */
  serves(go: () => void, withinMs: number): void;
}

/**
 * A worker that gets a signal does exit, even when Temporal is unreachable or hangs: the SDK alone would wait for its server
 * (30 s and more, measured), and the service manager would then kill it in the middle of something.
 */
function boundLeaving(log: Logger): Leaving {
  let serving: { readonly go: () => void; readonly withinMs: number } | null = null;
  const leave = (why: string, code: number): void => {
    log.warn(why);
    process.exit(code);
  };
  const onSignal = (signal: string): void => {
    if (serving === null) return leave(`${signal} before it served anything: exits at once`, 0);
    const { go, withinMs } = serving;
    const late = `Temporal did not answer within ${String(withinMs)} ms of ${signal}: exits without deregistering; the next worker observes before it continues`;
    // Unreferenced, because a graceful shutdown ends the process earlier.
    setTimeout(() => leave(late, 1), withinMs).unref();
    go();
  };
  // Stays registered: without a listener a second signal would kill the process in the middle of a step.
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    serves: (go, withinMs) => {
      serving = { go, withinMs };
    },
  };
}

export interface Health {
  /** `host:port` as it listens. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

/**
 * `/livez`: this process answers. `/readyz`: it also serves its queues; the body says what is missing. It reveals nothing
 * else, so it needs no credential.
 */
export async function serveHealth(
  { host, port }: HostPort,
  notReady: () => readonly string[],
): Promise<Health> {
  const server = createServer((request, response) => {
    const { status, body } = answer(request.url ?? '', notReady);
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${body}\n`);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { address: addressOf(server, host), close: () => closed(server) };
}

function answer(
  url: string,
  notReady: () => readonly string[],
): { readonly status: number; readonly body: string } {
  if (url === '/livez') return { status: 200, body: 'ok' };
  if (url !== '/readyz') return { status: 404, body: 'try /livez or /readyz' };
  const missing = notReady();
  return missing.length === 0
    ? { status: 200, body: 'ok' }
    : { status: 503, body: missing.join('\n') };
}

function addressOf(server: Server, host: string): string {
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
