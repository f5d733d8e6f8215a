import { digestText } from '../../../domain/digest.js';
import { failure } from '../../failures.js';
import type {
  CallOptions,
  ClusterPorts,
  KubeletUnit,
  NodeFiles,
  NodeKubelets,
  NodeProcesses,
  NodeSnapshot,
  NodeRequest,
  WriteGuard,
} from '../../ports.js';
import type { Deadline } from '../deadline.js';
import type { SeenHost } from './host-answer.js';
import { seenHost } from './host-answer.js';
import { electionsOf } from './elections-of-host.js';
import type { ManagerMetrics } from './manager-metrics.js';
import { type ManagerCredential, createManagerMetrics } from './manager-metrics.js';
import type { NodeShell } from './node-shell.js';
import { type NodeShellSettings, createNodeShell } from './node-shell.js';
import { brokenAnswer, mustHave, seenFiles, sentText } from './remote-answer.js';
import { plainPath, wholeNumber } from './remote-request.js';

/** Files and processes of a cluster's nodes over SSH; `credential` is sent to the managers' ports. */
export function createSshNodeAccess(
  settings: NodeShellSettings,
  credential: ManagerCredential,
): Pick<ClusterPorts, 'files' | 'processes' | 'kubelets'> {
  const shell = createNodeShell(settings);
  return {
    files: createSshNodeFiles(shell),
    processes: createSshNodeProcesses(shell, createManagerMetrics(shell, credential)),
    kubelets: createSshNodeKubelets(shell),
  };
}

/** The same limit as in the HTTP contract. */
const MAX_CONTENT = 1024 * 1024;

/** Files of nodes by remote commands: docs/node-access-ssh.md. */
function createSshNodeFiles(shell: NodeShell): NodeFiles {
  return {
    read: async (node, path, options) => {
      const what = `read ${node}:${path}`;
      const calls = [['read_file', plainPath(path)]] as const;
      const lines = await shell.ask({ node, what, safe: true, calls }, options);
      return mustHave(what, seenFiles(what, lines).files, path);
    },
    write: (node, path, content, guard, options) =>
      writeFile(shell, { node, path, content, guard }, options),
    remove: async (node, path, { expect, epoch }, options) => {
      const what = `remove ${node}:${path}`;
      const words = [plainPath(path), expect, wholeNumber(epoch, 'epoch')] as const;
      const calls = [['remove_file', ...words]] as const;
      const lines = await shell.ask({ node, what, safe: false, calls }, options);
      if (!lines.includes('removed')) throw brokenAnswer(what);
    },
  };
}

/** Modes of new files. */
const FOR_ALL = '0644';
const FOR_ROOT = '0600';

interface Write {
  readonly node: string;
  readonly path: string;
  readonly content: string;
  readonly guard: WriteGuard;
}

async function writeFile(
  shell: NodeShell,
  { node, path, content, guard }: Write,
  options?: CallOptions,
): Promise<void> {
  const what = `write ${node}:${path}`;
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length > MAX_CONTENT) throw failure('InvalidInput', `${what}: longer than 1 MiB`);
  const hash = digestText(content);
  const words = [plainPath(path), guard.expect, wholeNumber(guard.epoch, 'epoch'), hash] as const;
  const mode = guard.isForAll === true ? FOR_ALL : FOR_ROOT;
  const calls = [['write_file', ...words, bytes.toString('base64'), mode]] as const;
  const lines = await shell.ask({ node, what, safe: false, calls }, options);
  if (!lines.includes(`written ${hash}`)) throw brokenAnswer(what);
}

/** Longer than a unit's stop and start, and than the node's own limit for them. */
const RESTART_MS = 40_000;

/** Kubelets of nodes as systemd's services, by remote commands: docs/node-access-ssh.md. */
function createSshNodeKubelets(shell: NodeShell): NodeKubelets {
  return {
    unit: async (node, options) => {
      const what = `read the kubelet's unit of ${node}`;
      const question = { node, what, safe: true, calls: [['look_unit']] } as const;
      return unitOf(what, await shell.ask(question, options));
    },
    restart: async (node, { cloudProvider, flags, epoch }, options) => {
      const what = `restart the kubelet of ${node}`;
      const words = [plainPath(flags.path), flags.hash, wholeNumber(epoch, 'epoch')] as const;
      const calls = [['restart_kubelet', cloudProvider, ...words]] as const;
      const timeoutMs = Math.max(RESTART_MS, options?.timeoutMs ?? 0);
      const lines = await shell.ask({ node, what, safe: false, calls }, { ...options, timeoutMs });
      if (lines.includes('kubelet restarted')) return 'restarted';
      if (lines.includes('kubelet runsSo')) return 'runsSo';
      throw brokenAnswer(what);
    },
  };
}

/** Lines of `systemctl show`; a property that may be there more than once has a line for each. */
function unitOf(what: string, lines: readonly string[]): KubeletUnit {
  const told = lines.find((line) => line.startsWith('unit '));
  if (told === undefined) throw brokenAnswer(what);
  const properties = sentText(told.slice('unit '.length))
    .split('\n')
    .map((line) => /^(\w+)=(.*)$/.exec(line))
    .flatMap((match) => (match === null ? [] : [{ name: match[1] ?? '', value: match[2] ?? '' }]));
  const first = (name: string): string =>
    properties.find((property) => property.name === name)?.value ?? 'unknown';
  const result = first('Result');
  return {
    state: `${first('ActiveState')} (${first('SubState')})${result === 'success' ? '' : `, ${result}`}`,
    environmentFiles: properties
      .filter(({ name }) => name === 'EnvironmentFiles')
      .map(({ value }) => value.replace(/ \(ignore_errors=(yes|no)\)$/, '')),
  };
}

/** Processes of nodes by remote commands: docs/node-access-ssh.md. */
function createSshNodeProcesses(shell: NodeShell, metrics: ManagerMetrics): NodeProcesses {
  return {
    snapshot: (node, wanted, options) => {
      const what = `inspect ${node}`;
      return shell.within(what, options, (deadline) =>
        snapshot(shell, metrics, { node, what, wanted }, deadline),
      );
    },
    host: (node, options) => {
      const what = `read processes of ${node}`;
      return shell.within(what, options, async (deadline) => {
        const { host } = await readHost(shell, node, what, deadline);
        return host;
      });
    },
    metrics: (node, manager, options) => {
      const what = `read metrics of ${manager} on ${node}`;
      return shell.within(what, options, async (deadline) =>
        metrics.read(what, node, manager, await readHost(shell, node, what, deadline), deadline),
      );
    },
    kill: async (node, { pid, startTicks }, { epoch }, options) => {
      const what = `end process ${String(pid)} of ${node}`;
      const process = [wholeNumber(pid, 'process'), wholeNumber(startTicks, 'start')] as const;
      const words = [...process, wholeNumber(epoch, 'epoch')] as const;
      const calls = [['end_process', ...words]] as const;
      const lines = await shell.ask({ node, what, safe: false, calls }, options);
      if (!lines.includes('ended')) throw brokenAnswer(what);
    },
  };
}

async function readHost(
  shell: NodeShell,
  node: string,
  what: string,
  deadline: Deadline,
): Promise<SeenHost> {
  const question = { node, what, safe: true, calls: [['look_host']] } as const;
  return seenHost(what, await shell.askWithin(question, deadline));
}

interface HostReader {
  readonly node: string;
  readonly what: string;
  readonly wanted: NodeRequest;
}

async function snapshot(
  shell: NodeShell,
  metrics: ManagerMetrics,
  { node, what, wanted }: HostReader,
  deadline: Deadline,
): Promise<NodeSnapshot> {
  const lines = await shell.askWithin(
    {
      node,
      what,
      safe: true,
      calls: [
        ['look_host'],
        ...wanted.files.map((path) => ['read_file', plainPath(path)] as const),
        ...wanted.directories.map((path) => ['list_folder', plainPath(path)] as const),
      ],
    },
    deadline,
  );
  const seen = seenHost(what, lines);
  const { files, folders } = seenFiles(what, lines);
  const roles = await electionsOf(seen, {
    elections: (manager) => metrics.elections(what, node, manager, seen, deadline),
    readAgain: async () => (await readHost(shell, node, what, deadline)).host,
  });
  return {
    ...roles,
    files: new Map(wanted.files.map((path) => [path, mustHave(what, files, path)])),
    directories: new Map(wanted.directories.map((path) => [path, mustHave(what, folders, path)])),
  };
}
