import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cgroupFolders, labCgroup, processesIn, removeCgroups } from '../host/cgroups.js';
import { STATE_ROOT, stateFolder } from '../host/folders.js';
import { runProgram } from '../../../devserver/run-program.js';
import { bridgeName, namespacePrefix } from '../network/link-names.js';
import { killCgroup } from './kill-cgroup.js';
import { isRunning } from '../../../devserver/process-identity.js';

const NAMED_NAMESPACES = '/run/netns';
const TRIES = 100;
const TRY_AGAIN_AFTER_MS = 100;

/** What remains of a lab; all empty when nothing does. */
export interface Remains {
  readonly processes: readonly number[];
  readonly namespaces: readonly string[];
  readonly links: readonly string[];
  readonly mounts: readonly string[];
  readonly cgroups: readonly string[];
  readonly folders: readonly string[];
}

/** Finds everything that a lab of this number may have created, by name and not by its owner's records. */
export function remainsOf(lab: number): Remains {
  const folder = stateFolder(lab);
  const names = existsSync(NAMED_NAMESPACES) ? readdirSync(NAMED_NAMESPACES) : [];
  return {
    processes: processesIn(labCgroup(lab)),
    namespaces: names.filter((name) => name.startsWith(namespacePrefix(lab))),
    links: readdirSync('/sys/class/net').filter(
      (name) => name === bridgeName(lab) || name.startsWith(`cl${lab}c`),
    ),
    mounts: mountPoints().filter((path) => path === folder || path.startsWith(`${folder}/`)),
    cgroups: cgroupFolders(labCgroup(lab)),
    folders: existsSync(folder) ? [folder] : [],
  };
}

export function isNothing(remains: Remains): boolean {
  return Object.values(remains).every((list: readonly unknown[]) => list.length === 0);
}

/**
 * Removes everything of a lab: its owner, the watchdog and the next start all call this. It relies on names and
 * cgroups alone, so it also cleans up after an owner that was killed halfway. Idempotent.
 * @throws Error that names what could not be removed.
 */
export async function cleanLab(lab: number): Promise<void> {
  let problem = '';
  for (let tries = 0; tries < TRIES; tries += 1) {
    const remains = remainsOf(lab);
    if (isNothing(remains)) {
      removeIfEmpty(STATE_ROOT);
      return;
    }
    problem = await removeStale(lab, remains);
    if (problem !== '') await sleep(TRY_AGAIN_AFTER_MS);
  }
  const left = JSON.stringify(remainsOf(lab));
  throw new Error(
    `lab ${lab} could not be cleaned: ${problem === '' ? left : `${problem}; ${left}`}`,
  );
}

async function removeStale(lab: number, remains: Remains): Promise<string> {
  await killCgroup(labCgroup(lab));
  const problems: string[] = [];
  const attempt = async (program: string, args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runProgram(program, args);
    if (code !== 0) problems.push(stderr.trim());
  };
  for (const mount of remains.mounts.toReversed()) await attempt('umount', ['--lazy', mount]);
  for (const name of remains.namespaces) await attempt('ip', ['netns', 'delete', name]);
  // Cables are removed with their namespaces, a moment later; one that is left has lost its peer.
  for (const link of remains.links) {
    if (existsSync(`/sys/class/net/${link}`)) await attempt('ip', ['link', 'delete', link]);
  }
  removeCgroups(labCgroup(lab));
  // The folder last: while it exists, the next start knows that this lab needs cleaning.
  if (problems.length === 0) problems.push(...removeFolder(stateFolder(lab)));
  return problems.filter((text) => !text.includes('Cannot find device')).join('; ');
}

function removeFolder(folder: string): readonly string[] {
  try {
    rmSync(folder, { recursive: true, force: true });
    return [];
  } catch (error) {
    return [String(error)];
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another lab is in it, or it was already removed.
  }
}

function mountPoints(): readonly string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n');
  return lines.map((line) => line.split(' ')[4] ?? '');
}

/** Numbers of the labs on this machine, and whether the owner of each still runs. */
export function knownLabs(): readonly { readonly lab: number; readonly isOwned: boolean }[] {
  if (!existsSync(STATE_ROOT)) return [];
  return readdirSync(STATE_ROOT).flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    return [{ lab: Number(name), isOwned: isRunning(labOwner(join(STATE_ROOT, name))) }];
  });
}

/** Identity of a lab's owner, as written when the lab was claimed. */
export function labOwner(folder: string): string {
  try {
    return readFileSync(join(folder, 'owner'), 'utf8');
  } catch {
    return '';
  }
}
