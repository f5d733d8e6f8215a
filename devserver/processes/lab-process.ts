import { readFile } from 'node:fs/promises';
import { compiledProgram } from '../package-files.js';
import type { Child, ChildLaunch } from './child.js';
import { startChild } from './child.js';

export interface LabSettings {
  readonly nodes: number;
  /** Versions of managers and kubelets, and of the API servers, without `v`. */
  readonly from: string;
  readonly to: string;
}

/** How the lab's one cluster is reached. Paths and public keys, no secrets. */
export interface LabClusterAccess {
  readonly name: string;
  readonly server: string;
  /** Of an administrator, and of the product's own user, who has no right before a role is bound to it. */
  readonly kubeconfig: string;
  readonly workerKubeconfig: string;
  /** Of its API server. */
  readonly auditLog: string;
  readonly machinesApi: string;
  readonly knownHosts: string;
  /** Address of its Prometheus; null or absent without one. */
  readonly prometheus?: string | null;
}

export interface LabProcess {
  readonly child: Child;
  readonly lab: number;
  readonly folder: string;
  readonly sshKey: string;
  readonly cluster: LabClusterAccess;
}

export interface LabLaunch extends ChildLaunch {
  readonly signal: AbortSignal;
  /** Called with each line of output during the start. */
  readonly report: (line: string) => void;
}

/** Two versions of Kubernetes may have to be built first: four minutes each on two cores. */
const READY_WITHIN_MS = 45 * 60_000;
/** Nodes, namespaces and mounts are removed one by one. */
const STOP_WITHIN_MS = 90_000;

/**
 * Starts a lab as a separate process and waits until every Node is Ready. The lab ends with this process, however that
 * ends, unless it is started to outlive it.
 * @throws Error with the lab's own message when this machine lacks something or a part did not start.
 */
export async function startLab(settings: LabSettings, launch: LabLaunch): Promise<LabProcess> {
  const { outlivesUs, logFile, env, signal } = launch;
  const { nodes, from, to } = settings;
  const words = ['daemon', '--lab', 'free', '--nodes', String(nodes), '--from', from, '--to', to];
  const child = await startChild({
    name: 'lab',
    program: compiledProgram('testbed', 'lab', 'main.js'),
    arguments: outlivesUs ? words : [...words, '--end-with-input'],
    ...{ env, logFile, outlivesUs, endsWithInput: !outlivesUs, stopWithinMs: STOP_WITHIN_MS },
  });
  try {
    const ready = await Promise.race([
      child.line(readyOr(launch.report), READY_WITHIN_MS),
      abortion(signal),
    ]);
    const { lab, folder, sshKey, clusters } = ready;
    const [cluster] = clusters;
    if (cluster === undefined) throw new Error('the lab has no cluster');
    return { child, lab, folder, sshKey, cluster };
  } catch (error) {
    await child.stop();
    if (signal.aborted) throw error;
    throw new Error((await lastWords(logFile)) ?? String(error), { cause: error });
  }
}

interface Ready extends Omit<LabProcess, 'child' | 'cluster'> {
  readonly clusters: readonly LabClusterAccess[];
}

/** The log is re-read from its beginning; a line already reported is not reported again. */
function readyOr(report: (line: string) => void): (line: string) => Ready | null {
  const said = new Set<string>();
  return (line) => {
    if (line.startsWith('{"ready":true')) {
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the line that testbed/lab/daemon/run-daemon.ts promises
      return JSON.parse(line) as Ready;
    }
    if (!said.has(line)) report(`lab: ${line.trim()}`);
    said.add(line);
    return null;
  };
}

async function abortion(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(new Error('interrupted while the lab started'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Its error may take several lines: what is missing, each with its remedy. */
async function lastWords(logFile: string): Promise<string | null> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const at = log.lastIndexOf('\nlab: ');
  if (at === -1 && !log.startsWith('lab: ')) return null;
  return log.slice(at + 1).trim();
}
