import { describe, expect, it } from '@jest/globals';
import { managerManifest } from '../../../../testbed/simulator/cluster/manifest-texts.js';
import { fieldAt } from '../../../../testbed/simulator/documents/fields.js';
import { readyStatus } from '../../../../testbed/simulator/loops/node-facts.js';
import { ccm, external, kcm, MAIN, manifestPath, node, Scene } from '../scene.js';

const LABEL = 'example.com/run-ccm';

function addDaemonSet(
  scene: Scene,
  strategy: 'OnDelete' | 'RollingUpdate',
  image = 'v1.30.14',
): void {
  scene.cluster.store.create('daemonsets', {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: MAIN.ccm, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: { app: 'ccm' } },
      updateStrategy: { type: strategy },
      template: {
        metadata: { labels: { app: 'ccm' } },
        spec: {
          hostNetwork: true,
          serviceAccountName: MAIN.ccm,
          nodeSelector: { [LABEL]: 'true' },
          tolerations: [{ operator: 'Exists' }],
          containers: [
            {
              name: 'ccm',
              image: `registry.k8s.io/${MAIN.ccm}:${image}`,
              command: [MAIN.ccm],
              args: ['--cloud-provider=labcloud', '--cluster-cidr=10.244.0.0/14'],
            },
          ],
        },
      },
    },
  });
}

function label(scene: Scene, name: string, value: string | undefined): void {
  const answer = scene.cluster.store.get({ resource: 'nodes', name });
  if (!answer.ok) throw new Error(answer.message);
  const { [LABEL]: _, ...labels } = answer.object.metadata.labels ?? {};
  const wanted = value === undefined ? labels : { ...labels, [LABEL]: value };
  scene.cluster.store.update('nodes', {
    ...answer.object,
    metadata: { ...answer.object.metadata, labels: wanted },
  });
}

function setImage(scene: Scene, tag: string): void {
  const ref = { resource: 'daemonsets', namespace: 'kube-system', name: MAIN.ccm };
  const answer = scene.cluster.store.get(ref);
  if (!answer.ok) throw new Error(answer.message);
  const text = JSON.stringify(answer.object).replace(/:v1\.30\.14/, `:${tag}`);
  scene.cluster.store.update('daemonsets', JSON.parse(text) as typeof answer.object);
}

function ready(scene: Scene, name: string): string {
  const answer = scene.cluster.store.get({ resource: 'nodes', name });
  return answer.ok ? readyStatus(answer.object) : 'gone';
}

describe('static pods', () => {
  it('every file in the folder of static pods counts but those that begin with a dot', () => {
    const scene = new Scene({ plans: [node(kcm())] }).wait(10);
    const files = scene.cluster.node('cp-1')?.files;
    const other = managerManifest('ccm', ccm({ migration: 'off' }), { livenessProbes: true });
    files?.write('/etc/kubernetes/manifests/.hidden.yaml', other);
    scene.wait(10);
    expect(scene.pid('cp-1', 'ccm')).toBeUndefined();
    files?.write('/etc/kubernetes/manifests/left.over.bak', other);
    scene.wait(10);
    expect(scene.pid('cp-1', 'ccm')).toBeDefined();
  });

  it('a second file of the same pod name waits until the first is gone', () => {
    const scene = new Scene({ plans: [node(kcm())] }).wait(10);
    const files = scene.cluster.node('cp-1')?.files;
    files?.write(
      `${manifestPath('kcm')}.bak`,
      managerManifest('kcm', external(), { livenessProbes: true }),
    );
    scene.wait(20);
    const names = (): unknown =>
      scene.cluster
        .node('cp-1')
        ?.host()
        .processes.map((each) => each.arguments.join(' '));
    expect(names()).toEqual([expect.stringContaining('--cloud-provider=labcloud')]);
    scene.takeAway('cp-1', 'kcm');
    scene.wait(20);
    expect(names()).toEqual([expect.stringContaining('--cloud-provider=external')]);
  });

  it('a pod whose file volume is missing waits for it', () => {
    const scene = new Scene({ plans: [node(null)] }).wait(5);
    const plan = kcm({ migration: 'canonical' });
    scene.cluster
      .node('cp-1')
      ?.files.write(manifestPath('kcm'), managerManifest('kcm', plan, { livenessProbes: true }));
    scene.wait(20);
    expect(scene.pid('cp-1', 'kcm')).toBeUndefined();
    expect(fieldAt(scene.mirror('cp-1', 'kcm'), 'status', 'phase')).toBe('Pending');
    scene.put('cp-1', 'kcm', plan);
    scene.wait(10);
    expect(scene.pid('cp-1', 'kcm')).toBeDefined();
  });

  it('crashed pods are restarted at once the first time, then after 10, 20, 40 s', () => {
    const scene = new Scene({ plans: [node(kcm())] }).wait(10);
    const gaps = [0, 1, 2, 3].map(() => {
      scene.cluster.crashProcess('cp-1', 'kcm');
      return scene.until('runs again', () => scene.pid('cp-1', 'kcm') !== undefined);
    });
    expect(gaps[0]).toBeLessThan(2);
    expect(gaps.slice(1)).toEqual([10, 20, 40]);
  });

  it('a liveness probe ends a paused process after a while', () => {
    const scene = new Scene({ plans: [node(kcm())] }).wait(10);
    const before = scene.pid('cp-1', 'kcm');
    scene.cluster.pauseProcess('cp-1', 'kcm');
    expect(scene.cluster.node('cp-1')?.host().processes[0]?.paused).toBe(true);
    expect(scene.cluster.node('cp-1')?.metrics('kcm')).toBeNull();
    scene.wait(100);
    expect(scene.pid('cp-1', 'kcm')).toBe(before);
    scene.wait(60);
    expect(scene.pid('cp-1', 'kcm')).not.toBe(before);
  });
});

describe('DaemonSets', () => {
  it("a DaemonSet's pod runs where the label is, and its process ends after the label is removed", () => {
    const scene = new Scene({ plans: [node(external()), node(external())], ccmAccess: true }).wait(
      10,
    );
    addDaemonSet(scene, 'OnDelete');
    scene.wait(10);
    expect(scene.pid('cp-1', 'ccm')).toBeUndefined();
    label(scene, 'cp-1', 'true');
    scene.wait(10);
    expect([scene.pid('cp-1', 'ccm'), scene.pid('cp-2', 'ccm')]).toEqual([
      expect.any(Number),
      undefined,
    ]);
    expect(scene.ownedBy()).toBe('ccm');
    label(scene, 'cp-1', undefined);
    scene.wait(10);
    expect(scene.pid('cp-1', 'ccm')).toBeUndefined();
    const pods = scene.cluster.store.list('pods');
    expect(pods.ok && pods.object.filter((pod) => pod.metadata.name.startsWith(MAIN.ccm))).toEqual(
      [],
    );
  });

  it.each([
    { strategy: 'OnDelete' as const, changes: false },
    { strategy: 'RollingUpdate' as const, changes: true },
  ])('a changed template under $strategy restarts pods: $changes', ({ strategy, changes }) => {
    const scene = new Scene({ plans: [node(external())], ccmAccess: true });
    addDaemonSet(scene, strategy);
    label(scene, 'cp-1', 'true');
    scene.wait(20);
    const before = scene.pid('cp-1', 'ccm');
    setImage(scene, 'v1.30.13');
    scene.wait(30);
    expect(scene.pid('cp-1', 'ccm') !== before).toBe(changes);
  });

  it('DaemonSets do not change while no KCM leads', () => {
    const scene = new Scene({ plans: [node(null)], ccmAccess: true });
    addDaemonSet(scene, 'OnDelete');
    label(scene, 'cp-1', 'true');
    scene.wait(60);
    expect(scene.pid('cp-1', 'ccm')).toBeUndefined();
  });
});

describe('nodes', () => {
  it('a crashed node is NotReady after 40 s and comes back with a new boot', () => {
    const scene = new Scene({ plans: [node(kcm()), node(kcm())] }).wait(20);
    const name = scene.leader(MAIN.kcm) === 'cp-1' ? 'cp-2' : 'cp-1';
    const before = scene.cluster.node(name)?.host().bootId;
    scene.cluster.crashNode(name);
    expect(scene.cluster.node(name)?.reachable).toBe(false);
    expect(scene.cluster.node(name)?.host().processes).toEqual([]);
    scene.wait(30);
    expect(ready(scene, name)).toBe('True');
    scene.wait(12);
    expect(ready(scene, name)).toBe('Unknown');
    scene.cluster.healNode(name);
    scene.wait(15);
    expect(ready(scene, name)).toBe('True');
    expect(scene.cluster.node(name)?.host().bootId).not.toBe(before);
    expect(scene.pid(name, 'kcm')).toBeDefined();
  });

  it('a partitioned holder exits before another may take over', () => {
    const scene = new Scene({ plans: [node(kcm()), node(kcm())] }).wait(20);
    const holder = scene.leader(MAIN.kcm);
    const pid = scene.pid(holder, 'kcm');
    scene.cluster.partitionNode(holder);
    scene.wait(60);
    expect(scene.overlap()).toBe(0);
    expect(scene.owners()[0]).not.toContain(`#${String(pid)}`);
    scene.cluster.healNode(holder);
    scene.wait(40);
    expect(scene.overlap()).toBe(0);
    expect(scene.cluster.node(holder)?.reachable).toBe(true);
  });

  it('an external kubelet’s Node waits, tainted, for a CCM', () => {
    const scene = new Scene({
      plans: [node(external(), null, { kubelet: 'external' })],
      ccmAccess: true,
    }).wait(30);
    const spec = (): unknown => {
      const answer = scene.cluster.store.get({ resource: 'nodes', name: 'cp-1' });
      return answer.ok ? answer.object['spec'] : undefined;
    };
    expect(JSON.stringify(spec())).toContain('node.cloudprovider.kubernetes.io/uninitialized');
    scene.put('cp-1', 'ccm', ccm({ migration: 'off' }));
    scene.wait(10);
    expect(spec()).toMatchObject({ providerID: 'labcloud://cp-1' });
    expect(JSON.stringify(spec())).not.toContain('uninitialized');
  });
});
