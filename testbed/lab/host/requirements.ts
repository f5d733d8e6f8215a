import { missingPackages } from './debian-packages.js';

/** The facts about the machine that matter here; `probe-host.ts` collects them. */
export interface HostFacts {
  readonly platform: string;
  readonly arch: string;
  readonly userId: number;
  /** The output of `go version`, or null when there is no Go. */
  readonly go: string | null;
  /** Why namespaces cannot be made, or null when they can. */
  readonly namespaceProblem: string | null;
  readonly hasOverlay: boolean;
  readonly cgroups: 'v1' | 'v2' | 'none';
  readonly isThere: (program: string) => boolean;
  readonly freeBytes: (place: 'state' | 'cache') => number;
}

/** The intended action: a build needs more than a start. */
export interface Wanted {
  readonly build: boolean;
}

const GIB = 1024 ** 3;
/** Measured: module cache 3 GB, build cache 6 GB for two versions, binaries 0.5 GB a version. */
const BUILD_BYTES = 14 * GIB;
/** A node's images and containers take about 0.5 GB. */
const STATE_BYTES = 4 * GIB;
const GO_MINOR = 22;

/** All missing prerequisites, each with its remedy; empty when a lab can be started. */
export function lacks(facts: HostFacts, wanted: Wanted): readonly string[] {
  if (facts.platform !== 'linux') {
    return [
      `The lab needs Linux; this is ${facts.platform}. Use a virtual machine with Debian 12.`,
    ];
  }
  return [
    ...architecture(facts),
    ...rights(facts),
    ...packages(facts),
    ...(wanted.build ? goCompiler(facts) : []),
    ...disk(facts, wanted),
  ];
}

function architecture({ arch }: HostFacts): readonly string[] {
  if (arch === 'x64' || arch === 'arm64') return [];
  return [`The lab's images are for amd64 and arm64; this machine is ${arch}.`];
}

function rights(facts: HostFacts): readonly string[] {
  if (facts.userId !== 0) {
    return ['The lab makes namespaces, mounts and bridges and needs root: sudo npm run lab -- …'];
  }
  const problems: string[] = [];
  if (facts.namespaceProblem !== null) {
    problems.push(
      `Namespaces cannot be made here (${facts.namespaceProblem}). In a container, start it with --privileged; or use a virtual machine.`,
    );
  }
  if (!facts.hasOverlay) problems.push('The kernel has no overlay file system: modprobe overlay');
  if (facts.cgroups === 'none') {
    problems.push(
      'No cgroups at /sys/fs/cgroup: mount -t cgroup2 none /sys/fs/cgroup (or boot with systemd)',
    );
  }
  return problems;
}

function packages({ isThere }: HostFacts): readonly string[] {
  const missing = missingPackages(isThere);
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name).join(', ');
  return [`Debian packages are missing: ${names}. Remedy: npm run lab -- prepare`];
}

function goCompiler({ go }: HostFacts): readonly string[] {
  const remedy = 'Install Go 1.22 or newer from https://go.dev/dl/ and put it on PATH.';
  if (go === null) return [`There is no Go on PATH, and Kubernetes must be built once. ${remedy}`];
  const [, minor] = /\bgo1\.(\d+)/.exec(go) ?? [];
  return Number(minor ?? 0) >= GO_MINOR ? [] : [`This Go is too old (${go.trim()}). ${remedy}`];
}

function disk({ freeBytes }: HostFacts, { build }: Wanted): readonly string[] {
  const wants = [
    { place: 'state' as const, bytes: STATE_BYTES, what: 'nodes' },
    ...(build
      ? [{ place: 'cache' as const, bytes: BUILD_BYTES, what: 'building Kubernetes' }]
      : []),
  ];
  return wants.flatMap(({ place, bytes, what }) => {
    const free = freeBytes(place);
    if (free >= bytes) return [];
    return [
      `Disk: ${what} needs ${gib(bytes)} GiB, but only ${gib(free)} GiB are free. Free some space (go clean -cache frees Go's), or set CCM_MIGRATE_CACHE to a folder on another disk.`,
    ];
  });
}

function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}
