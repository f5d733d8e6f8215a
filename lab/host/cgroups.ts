import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';

/** Which cgroups this machine has; `v2` only where it is the one and only hierarchy. */
export function cgroupVersion(mount = MOUNT): 'v1' | 'v2' | 'none' {
  if (existsSync(join(mount, 'cgroup.controllers'))) return 'v2';
  return existsSync(join(mount, 'pids', 'cgroup.procs')) ? 'v1' : 'none';
}

/**
 * The hierarchy that tells whose process is whose. On v1 every hierarchy would do; `pids` is one that runc and the
 * kubelet use too, so containers show in it below their node.
 */
function trackingRoot(): string {
  return cgroupVersion() === 'v2' ? MOUNT : join(MOUNT, 'pids');
}

/** The name of the folder below which a lab keeps all its cgroups, in each hierarchy. */
export function labCgroup(lab: number): string {
  return `ccm-migrate-lab-${lab}`;
}

/** Makes a cgroup and answers the file into which a process writes 0 to enter it. */
export function cgroupDoor(name: string): string {
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
    // Deepest first: the kernel removes no cgroup that has another in it.
    for (const folder of foldersBelow(join(root, name)).toReversed()) remove(folder);
    // Where containerd puts containers of kubelets without QoS cgroups. The kernel keeps those with a process in them.
    for (const folder of foldersBelow(join(root, 'k8s.io')).toReversed()) remove(folder);
  }
}

/** Folders of that name that still exist, for checks. */
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
    // The cgroup went away between listing and reading.
    return [];
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Busy for a moment after its last process ended; the caller looks again.
  }
}
