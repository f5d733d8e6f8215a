import { readFileSync, statSync } from 'node:fs';
import type { Manager } from '../../../domain/vocabulary.js';
import { readCommandLine } from '../../simulator/managers/command-line.js';
import type { ProcessStat } from '../../../devserver/process-identity.js';
import { commandLineOf } from '../host/proc-files.js';
import type { NodeNetwork } from './node-networks.js';
import type { ProcessBegan, MonitorOptions } from './monitor-line.js';

/** Program names of the managers, as in their command lines. */
export const MANAGER_OF_PROGRAM: Readonly<Record<string, Manager>> = {
  'kube-controller-manager': 'kcm',
  'cloud-controller-manager': 'ccm',
};

/** USER_HZ: the unit of ticks in /proc, whatever the kernel's own clock rate is (proc(5), sysconf(_SC_CLK_TCK)). */
const TICKS_PER_SECOND = 100;

/** What is known about a manager's process when it is first seen. */
export function describeProcess(
  pid: number,
  manager: Manager,
  place: NodeNetwork,
  stat: ProcessStat,
  programs: MonitorOptions['programs'],
): ProcessBegan {
  const words = commandLineOf(pid).slice(1);
  const atMs = Date.now();
  return {
    kind: 'began',
    id: `${pid}:${stat.startTicks}`,
    cluster: place.cluster,
    node: place.node,
    ...{ manager, pid, atMs },
    startedAtMs: atMs - Math.round((uptimeSeconds() - stat.startTicks / TICKS_PER_SECOND) * 1000),
    version: versionOf(pid, manager, programs),
    arguments: words,
    migrationFile: migrationFileOf(pid, words),
  };
}

function uptimeSeconds(): number {
  return Number.parseFloat(readFileSync('/proc/uptime', 'utf8'));
}

function versionOf(
  pid: number,
  manager: Manager,
  programs: MonitorOptions['programs'],
): string | null {
  const bytes = sizeOf(`/proc/${pid}/exe`);
  const found = programs.filter((one) => one.manager === manager && one.bytes === bytes);
  return found.length === 1 ? (found[0]?.version ?? null) : null;
}

function sizeOf(path: string): number | null {
  try {
    return statSync(path).size;
  } catch {
    return null;
  }
}

/** Read through the process's own root: the file as its container sees it, even if the node's path has changed. */
function migrationFileOf(pid: number, words: readonly string[]): string | null {
  const path = readCommandLine(words).text('leader-migration-config', '');
  if (path === '') return null;
  try {
    return readFileSync(`/proc/${pid}/root${path}`, 'utf8');
  } catch {
    return null;
  }
}
