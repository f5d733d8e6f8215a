import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';

/** The cgroup version of this machine; `v2` only where it is the only hierarchy. */
export function cgroupVersion(mount = MOUNT): 'v1' | 'v2' | 'none' {
  if (existsSync(join(mount, 'cgroup.controllers'))) return 'v2';
  return existsSync(join(mount, 'pids', 'cgroup.procs')) ? 'v1' : 'none';
}

/**
 * The hierarchy by which processes are attributed to labs and nodes. On v1 any hierarchy would work; runc and the
 * kubelet use `pids` too, so containers appear below their node.
 */
function trackingRoot(): string {
  return cgroupVersion() === 'v2' ? MOUNT : join(MOUNT, 'pids');
}

/** Name of the folder below which a lab keeps all its cgroups, in each hierarchy. */
export function labCgroup(lab: number): string {
  return `ccm-migrate-lab-${lab}`;
}

/** Creates a cgroup; returns the file to which a process writes 0 to enter it. */
export function cgroupEntryFile(name: string): string {
  const folder = join(trackingRoot(), name);
  mkdirSync(folder, { recursive: true });
  return join(folder, 'cgroup.procs');
}

/** Processes in a cgroup and all below it. */
export function processesIn(name: string): readonly number[] {
  return foldersBelow(join(trackingRoot(), name)).flatMap((folder) =>
    lines(join(folder, 'cgroup.procs')).map(Number),
  );
}

/** Removes a cgroup, and all below it, from every hierarchy. Its processes must be gone. */
export function removeCgroups(name: string): void {
  for (const root of hierarchies()) {
    // Deepest first: the kernel does not remove a cgroup with children.
    for (const folder of foldersBelow(join(root, name)).toReversed()) remove(folder);
    // Containerd puts containers of kubelets without QoS cgroups there. The kernel keeps those that have a process.
    for (const folder of foldersBelow(join(root, 'k8s.io')).toReversed()) remove(folder);
  }
}

/** Existing folders of that name, for checks. */
export function cgroupFolders(name: string): readonly string[] {
  return hierarchies()
    .map((root) => join(root, name))
    .filter(existsSync);
}

function hierarchies(): readonly string[] {
  if (cgroupVersion() === 'v2') return [MOUNT];
  return readdirSync(MOUNT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(MOUNT, name));
}

/** A folder and all below it, parents before children; none when it does not exist. */
function foldersBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => foldersBelow(join(folder, name)));
  return [folder, ...below];
}

function lines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    // The cgroup was removed between listing and reading.
    return [];
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Busy for a moment after its last process ended; the caller checks again.
  }
}
