import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLabFleet } from '../../demo/lab-fleet.js';
import { DEFAULT_VARIANT } from '../../demo/variant.js';
import { findTemporalCli } from '../../../devserver/find-temporal-cli.js';
import { EXIT_CODES } from '../../../cli/exit-status.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import { keepAlive } from '../../../devserver/processes/keep-alive.js';
import { keepServer, type KeptServer } from '../../../devserver/processes/kept-server.js';
import { startWorker } from '../../../devserver/processes/worker-process.js';
import type { Target } from '../../../domain/vocabulary.js';
import type { BenchEnvironment } from './bench-environment.js';

/** This project as an operator runs it: a Temporal server, a worker, and `ccm-migrate apply` for each direction. */
export interface Product {
  /** Where its server listens. */
  readonly server: Pick<KeptServer, 'address' | 'namespace'>;
  /** Fleet and inventory, as the command line takes them. */
  readonly files: readonly string[];
  readonly evidenceDir: string;
  /** Resolves when the run has ended successfully. @throws Error with the end of the command's output otherwise. */
  migrate(target: Target): Promise<void>;
  /** Stops server and worker. Removes their folder unless a run failed. */
  stop(): Promise<void>;
}

const RUN_WITHIN = '20m';
/** The default region of an inventory. */
const REGION = 'default';

export async function startProduct(
  environment: BenchEnvironment,
  forward: 'inPlace' | 'replace',
): Promise<Product> {
  const { env, report } = environment;
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-bench-'));
  const files = await writeFleet(environment, join(folder, 'fleet'), forward);
  const { path: cliPath } = await findTemporalCli({ env, report });
  const server = await keepServer(
    { cliPath, dbFile: join(folder, 'temporal.db'), logFile: join(folder, 'temporal.log') },
    report,
  );
  const { address, namespace } = server;
  const work = {
    ...{ address, namespace, region: REGION, inventory: files.at(-1) ?? '' },
    ...{ stateDir: join(folder, 'worker'), logFile: join(folder, 'worker.log') },
  };
  const worker = await keepAlive(() => startWorker(work, env), report).catch(
    async (error: unknown) => {
      await server.stop();
      throw error;
    },
  );
  let hasFailed = false;
  return {
    ...{ server, files, evidenceDir: work.stateDir },
    migrate: async (target) => {
      const failure = await migrate(environment, { files, server, target });
      if (failure === null) return;
      hasFailed = true;
      throw new Error(failure);
    },
    stop: async () => {
      await worker.stop();
      await server.stop();
      if (hasFailed) report(`  logs of server and worker are kept in ${folder}`);
      else await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Order {
  readonly files: readonly string[];
  readonly server: KeptServer;
  readonly target: Target;
}

/** Null when the run succeeded; otherwise the failure with the end of the output. */
async function migrate(
  environment: BenchEnvironment,
  { files, server, target }: Order,
): Promise<string | null> {
  const words = [
    ...['apply', '-f', ...files, '--target', target, '--reason', 'handover benchmark'],
    ...['--yes', '--watch', '--timeout', RUN_WITHIN],
    ...['--address', server.address, '--namespace', server.namespace],
  ];
  const { code, said } = await ran([compiledProgram('cli', 'main.js'), ...words], environment);
  const good = target === 'ccm' ? EXIT_CODES.reached : EXIT_CODES.rolledBack;
  if (code === good) return null;
  return `ccm-migrate apply --target ${target}: exit ${code}: ${lastLines(said)}`;
}

async function writeFleet(
  { lab, cluster }: BenchEnvironment,
  folder: string,
  forward: 'inPlace' | 'replace',
): Promise<readonly string[]> {
  const { name, server, kubeconfig, knownHosts, machinesApiUrl: machinesApi } = cluster;
  if (machinesApi === null) throw new Error('the lab serves no machines API');
  await mkdir(folder, { recursive: true });
  return writeLabFleet(
    folder,
    { sshKey: lab.sshKey, cluster: { name, server, kubeconfig, knownHosts, machinesApi } },
    { ...DEFAULT_VARIANT, forward },
  );
}

interface Ran {
  readonly code: number;
  readonly said: string;
}

async function ran(words: readonly string[], { env, signal }: BenchEnvironment): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [...words],
      { env: { ...env }, signal },
      (error, out, err) => {
        if (signal.aborted) reject(error ?? new Error('interrupted'));
        else resolve({ code: child.exitCode ?? EXIT_CODES.failed, said: `${out}${err}` });
      },
    );
  });
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-4).join(' | ');
}
