import { describe, expect, it } from '@jest/globals';
import { lacks, type HostFacts } from '../../../testbed/lab/host/requirements.js';

const GIB = 1024 ** 3;
const GOOD: HostFacts = {
  platform: 'linux',
  arch: 'x64',
  userId: 0,
  go: 'go version go1.26.8 linux/amd64\n',
  namespaceProblem: null,
  hasOverlay: true,
  cgroups: 'v1',
  isThere: () => true,
  freeBytes: () => 100 * GIB,
};

describe('the lab says what a machine lacks for it', () => {
  it('a good machine lacks nothing for a lab', () => {
    expect(lacks(GOOD, { build: true })).toEqual([]);
    expect(lacks({ ...GOOD, cgroups: 'v2', arch: 'arm64' }, { build: true })).toEqual([]);
  });

  it.each<[string, Partial<HostFacts>, string]>([
    ['another system', { platform: 'darwin' }, 'this is darwin. Use a virtual machine'],
    ['another processor', { arch: 's390x' }, 'this machine is s390x'],
    ['no root', { userId: 1000 }, 'needs root: sudo npm run lab'],
    ['no namespaces', { namespaceProblem: 'unshare failed' }, '(unshare failed). In a container'],
    ['no overlays', { hasOverlay: false }, 'modprobe overlay'],
    ['no cgroups', { cgroups: 'none' }, 'mount -t cgroup2'],
    [
      'no packages',
      { isThere: (name) => name !== 'etcd' },
      'etcd-server. Remedy: npm run lab -- prepare',
    ],
    ['no Go', { go: null }, 'Install Go 1.22 or newer'],
    ['an old Go', { go: 'go version go1.21.9 linux/amd64' }, 'too old (go version go1.21.9'],
    ['no disk', { freeBytes: () => 5 * GIB }, 'needs 14.0 GiB, but only 5.0 GiB are free'],
  ])('a machine with %s gets its remedy', (_name, change, text) => {
    const problems = lacks({ ...GOOD, ...change }, { build: true });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(text);
  });

  it('Go and its disk space are required only when there is something to build', () => {
    expect(lacks({ ...GOOD, go: null, freeBytes: () => 5 * GIB }, { build: false })).toEqual([]);
    expect(lacks({ ...GOOD, freeBytes: () => 3 * GIB }, { build: false })).toHaveLength(1);
  });
});
