import { describe, expect, it } from '@jest/globals';
import { presumedNodeAccess } from '../../../activities/adapters/machines/node-access-presumed.js';
import { failureTypeOf } from '../../../activities/failures.js';
import type { HostProcess, KubernetesApi } from '../../../activities/ports.js';
import { readManagerManifest } from '../../../domain/manifests/manifest.js';

const MANIFEST = '/etc/kubernetes/manifests/kube-controller-manager.yaml';
const MIRROR = { 'kubernetes.io/config.mirror': 'hash' };
const RUNNING = [{ state: { running: { startedAt: '2026-01-02T03:04:05Z' } } }];

interface Given {
  readonly node?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly states?: readonly object[];
}

/** A KCM's Pod as the API server shows it. */
function pod({ node = 'cp-1', annotations = MIRROR, states = RUNNING }: Given = {}): object {
  return {
    metadata: {
      ...{ name: `kube-controller-manager-${node}`, namespace: 'kube-system', annotations },
      labels: { component: 'kube-controller-manager' },
    },
    spec: {
      nodeName: node,
      containers: [{ name: 'kcm', image: 'kcm:1', command: ['kcm', `--node=${node}`] }],
    },
    status: { containerStatuses: states },
  };
}

function accessTo(...items: readonly object[]): ReturnType<typeof presumedNodeAccess> {
  const list = (): Promise<unknown> => Promise.resolve({ items });
  return presumedNodeAccess('one', { list } as unknown as KubernetesApi);
}

async function processesOf(
  { processes }: ReturnType<typeof presumedNodeAccess>,
  node = 'cp-1',
): Promise<readonly HostProcess[]> {
  return (await processes.snapshot(node, { files: [], directories: [] })).host.processes;
}

describe('node access presumed from Pods', () => {
  it('shows the manifest of a static pod from its mirror Pod, under its own name', async () => {
    const file = await accessTo(pod()).files.read('cp-1', MANIFEST);
    const result = readManagerManifest(file?.content ?? '');
    if (result.kind === 'invalid') throw new Error(file?.content);
    expect(result.manifest).toMatchObject({
      ...{ name: 'kube-controller-manager', arguments: ['--node=cp-1'] },
    });
  });

  it('shows no manifest for a Pod that is no static pod, and no other file', async () => {
    const workload = accessTo(pod({ annotations: {} }));
    expect(await workload.files.read('cp-1', MANIFEST)).toBeNull();
    expect(await processesOf(workload)).toHaveLength(1);
    expect(await accessTo(pod()).files.read('cp-1', '/etc/kubernetes/kubelet.conf')).toBeNull();
  });

  it('takes for each node only the Pods of that node', async () => {
    const access = accessTo(pod({ node: 'cp-2' }), pod());
    expect(await processesOf(access)).toMatchObject([{ arguments: ['kcm', '--node=cp-1'] }]);
    expect((await access.files.read('cp-2', MANIFEST))?.content).toContain('--node=cp-2');
    expect(await access.files.read('cp-3', MANIFEST)).toBeNull();
  });

  it.each([
    ['waits', [{ state: { waiting: { reason: 'CrashLoopBackOff' } } }]],
    ['has no state yet', []],
  ])('shows no process for a container that does not run: it %s', async (_case, states) => {
    expect(await processesOf(accessTo(pod({ states })))).toEqual([]);
    expect(await processesOf(accessTo(pod()))).toMatchObject([
      { manager: 'kcm', startedAtMs: Date.parse('2026-01-02T03:04:05Z') },
    ]);
  });

  it('refuses every write', async () => {
    const { files, processes, kubelets } = accessTo(pod());
    const guard = { expect: 'absent', epoch: 1 };
    const order = { cloudProvider: '', flags: { path: '', hash: '' }, epoch: 1 };
    const writes = [
      () => files.write('cp-1', MANIFEST, '', guard),
      () => files.remove('cp-1', MANIFEST, guard),
      () => processes.kill('cp-1', { pid: 1, startTicks: 1 }, guard),
      () => kubelets.restart('cp-1', order),
    ];
    for (const write of writes) {
      const error: unknown = await write().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(failureTypeOf(error)).toBe('NotSupported');
    }
  });
});
