import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEMO_CLUSTER, writeFleet } from '../../testbed/demo/fleet-files.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../cli/kubernetes-versions.js';
import { createRealClock } from '../../testbed/simulator/clock/real-clock.js';
import type { ClusterSpec } from '../../testbed/simulator/cluster/cluster-spec.js';
import { createCluster } from '../../testbed/simulator/cluster/create-cluster.js';
import type { SimulatedCluster } from '../../testbed/simulator/model.js';
import type { RunningSimulator } from '../../testbed/simulator/server/serve-clusters.js';
import { serveClusters } from '../../testbed/simulator/server/serve-clusters.js';

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Budgets at the end of a policy for stories that are not about time: a busy machine must not end them. */
export const PATIENT_BUDGETS = `    request: 2m
    effect: 10m
    election: 10m
    fenceRenew: 1m
    fenceRenewIdle: 1m
    heartbeat: 1m
  gates:
    orphanBudget: 10m
`;

/** Of one story: real Temporal, a real worker, commands as processes; long, as the story is not about time. */
export const STORY_MS = 10 * 60_000;

/** A policy with a short soak and these budgets; `more` are other members of its spec, as lines. */
export function patientPolicy(text: string, more = ''): string {
  return text
    .replace('soak: 5s', 'soak: 1s')
    .replace(/ {2}timings:[^]*$/, `${more}  timings:\n${PATIENT_BUDGETS}`);
}

/** The output of one process until its end. */
export interface Said {
  readonly argv: readonly string[];
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One simulated cluster in this process; Temporal, worker and commands as separate processes, as users run them. */
export interface OneCluster {
  readonly cluster: SimulatedCluster;
  readonly simulator: RunningSimulator;
  readonly fleetDir: string;
  /** Of `dev`: database, logs, evidence, exports. */
  readonly stateDir: string;
  /** All commands so far, in order; `dev` itself last, once it has ended. */
  readonly said: readonly Said[];
  /** Runs one command to its end, with this environment's state folder where it accepts one. */
  command(...argv: readonly string[]): Promise<Said>;
  /** Runs one command until it prints this text, and interrupts it then as Ctrl-C does. */
  interrupted(words: string, ...argv: readonly string[]): Promise<Said>;
  /** Starts one command, which runs until it is interrupted. */
  background(...argv: readonly string[]): Running;
  startDev(): Promise<void>;
  /** Ends `dev` as Ctrl-C does. */
  stopDev(): Promise<Said>;
  close(): Promise<void>;
}

export interface OneClusterOptions {
  readonly speed: number;
  readonly spec?: Partial<ClusterSpec>;
  /** Changes the text of the policy. */
  readonly policy?: (text: string) => string;
  /** Names of further clusters beside it, of the same kind. */
  readonly also?: readonly string[];
  /** Before anything in the cluster runs. */
  readonly prepare?: (cluster: SimulatedCluster) => void;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openOneCluster(options: OneClusterOptions): Promise<OneCluster> {
  const root = await mkdtemp(join(tmpdir(), 'ccm-migrate-whole-run-'));
  const [stateDir, fleetDir] = [join(root, 'state'), join(root, 'fleet')];
  await mkdir(fleetDir);
  const clock = createRealClock(options.speed);
  const clusterOf = (id: string): SimulatedCluster =>
    createCluster({
      ...{ id, version: SOURCE_VERSION, apiServerVersion: TARGET_VERSION },
      ...{ workers: 1, loadBalancers: 1, ...options.spec, clock },
    });
  const { also = [] } = options;
  const cluster = clusterOf(DEMO_CLUSTER);
  options.prepare?.(cluster);
  const simulator = await serveClusters({
    ...{
      clusters: [cluster, ...also.map(clusterOf)],
      port: 0,
      speed: options.speed,
      stateDir: join(root, 'simulator'),
    },
  });
  await writeFleet(fleetDir, simulator.inventoryPath, options.speed);
  await writeFile(
    join(fleetDir, 'inventory.yaml'),
    await readFile(simulator.inventoryPath, 'utf8'),
  );
  const fleetFile = join(fleetDir, 'fleet.yaml');
  const named = [DEMO_CLUSTER, ...also].join(', ');
  const fleetText = (await readFile(fleetFile, 'utf8')).replace(`[${DEMO_CLUSTER}]`, `[${named}]`);
  await writeFile(fleetFile, fleetText);
  const policyFile = join(fleetDir, 'policy.yaml');
  const change = options.policy ?? ((text: string): string => text);
  await writeFile(policyFile, change(await readFile(policyFile, 'utf8')));

  const said: Said[] = [];
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...options.env };
  const start = (...argv: readonly string[]): Running => startCli(argv, env);
  const devArgv = ['dev', '-f', fleetDir, '--state-dir', stateDir];
  let dev: Running | null = null;
  const stopDev = async (): Promise<Said> => {
    if (dev === null) throw new Error('dev does not run');
    dev.child.kill('SIGINT');
    const end = await dev.ended;
    dev = null;
    said.push(end);
    return end;
  };
  return {
    ...{ cluster, simulator, fleetDir, stateDir, said, stopDev },
    command: async (...argv) => {
      const ended = await start(...argv).ended;
      said.push(ended);
      return ended;
    },
    interrupted: async (words, ...argv) => {
      const running = start(...argv);
      await running.saying(words);
      running.child.kill('SIGINT');
      const ended = await running.ended;
      said.push(ended);
      return ended;
    },
    background: start,
    startDev: async () => {
      dev = start(...devArgv);
      await dev.saying('Ctrl-C stops both');
    },
    close: async () => {
      if (dev !== null) await stopDev();
      await simulator.stop();
      clock.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Said>;
  /** Resolves when it has printed the text; rejects when it ends before. */
  saying(words: string): Promise<void>;
}

/** One command as a process, by another user than the environment's. */
export function startCli(argv: readonly string[], env: NodeJS.ProcessEnv): Running {
  const child = spawn(process.execPath, [CLI, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString('utf8')));
  const ended = once(child, 'close').then(() => ({ argv, exit: child.exitCode ?? -1, ...said }));
  return {
    child,
    ended,
    saying: async (words) => {
      while (!said.stdout.includes(words)) {
        const news = await Promise.race([once(child.stdout, 'data'), ended]);
        if ('exit' in news) throw new Error(`${argv.join(' ')} ended: ${news.stderr}`);
      }
    },
  };
}

/** A command on this environment's server that must succeed. */
export async function succeeds(environment: OneCluster, ...argv: readonly string[]): Promise<Said> {
  const said = await environment.command(...argv, '--state-dir', environment.stateDir);
  if (said.exit !== 0) throw new Error(JSON.stringify(said));
  return said;
}

/** Plans, applies and watches until the CCM owns. */
export async function migrate(environment: OneCluster, ...why: readonly string[]): Promise<void> {
  const plan = join(environment.stateDir, 'plan.json');
  await environment.command('plan', '-f', environment.fleetDir, '--out', plan);
  await succeeds(environment, 'apply', plan, ...why);
  await succeeds(environment, 'status', DEMO_CLUSTER, '--until', 'done');
}

/** The CCM owns, and the fence is renewed rarely. */
export function soaks({ cluster }: OneCluster): boolean {
  const owner = cluster.truth().controllers.service.intervals.at(-1)?.owners[0] ?? '';
  const name = { namespace: 'kube-system', name: 'ccm-migrate' };
  const fence = cluster.store.get({ resource: 'leases', ...name });
  return owner.startsWith('ccm:') && JSON.stringify(fence).includes('"idle"');
}
