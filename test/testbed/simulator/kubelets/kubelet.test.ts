import { describe, expect, it } from '@jest/globals';
import { managerManifest } from '../../../../testbed/simulator/cluster/manifest-texts.js';
import { valueAt } from '../../../../testbed/base/json.js';
import { readyStatus } from '../../../../testbed/simulator/loops/node-facts.js';
import { ccm, external, kcm, MAIN, manifestPath, node, Environment } from '../environment.js';

const LABEL = 'example.com/run-ccm';

function addDaemonSet(
  environment: Environment,
  strategy: 'OnDelete' | 'RollingUpdate',
  image = 'v1.30.14',
): void {
  environment.cluster.store.create('daemonsets', {
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

function label(environment: Environment, name: string, value: string | undefined): void {
  const answer = environment.cluster.store.get({ resource: 'nodes', name });
  if (!answer.ok) throw new Error(answer.message);
  const { [LABEL]: _, ...labels } = answer.object.metadata.labels ?? {};
  const wanted = value === undefined ? labels : { ...labels, [LABEL]: value };
  environment.cluster.store.update('nodes', {
    ...answer.object,
    metadata: { ...answer.object.metadata, labels: wanted },
  });
}

function setImage(environment: Environment, tag: string): void {
  const ref = { resource: 'daemonsets', namespace: 'kube-system', name: MAIN.ccm };
  const answer = environment.cluster.store.get(ref);
  if (!answer.ok) throw new Error(answer.message);
  const text = JSON.stringify(answer.object).replace(/:v1\.30\.14/, `:${tag}`);
  environment.cluster.store.update('daemonsets', JSON.parse(text) as typeof answer.object);
}

function ready(environment: Environment, name: string): string {
  const answer = environment.cluster.store.get({ resource: 'nodes', name });
  return answer.ok ? readyStatus(answer.object) : 'gone';
}

describe('static pods', () => {
  it('every file in the folder of static pods counts but those that begin with a dot', () => {
    const environment = new Environment({ plans: [node(kcm())] }).wait(10);
    const files = environment.cluster.node('cp-1')?.files;
    const other = managerManifest('ccm', ccm({ migration: 'off' }));
    files?.write('/etc/kubernetes/manifests/.hidden.yaml', other);
    environment.wait(10);
    expect(environment.pid('cp-1', 'ccm')).toBeUndefined();
    files?.write('/etc/kubernetes/manifests/left.over.bak', other);
    environment.wait(10);
    expect(environment.pid('cp-1', 'ccm')).toBeDefined();
  });

  it('a second file of the same pod name waits until the first is gone', () => {
    const environment = new Environment({ plans: [node(kcm())] }).wait(10);
    const files = environment.cluster.node('cp-1')?.files;
    files?.write(`${manifestPath('kcm')}.bak`, managerManifest('kcm', external()));
    environment.wait(20);
    const names = (): unknown =>
      environment.cluster
        .node('cp-1')
        ?.host()
        .processes.map((each) => each.arguments.join(' '));
    expect(names()).toEqual([expect.stringContaining('--cloud-provider=labcloud')]);
    environment.removeStale('cp-1', 'kcm');
    environment.wait(20);
    expect(names()).toEqual([expect.stringContaining('--cloud-provider=external')]);
  });

  it('a pod whose file volume is missing waits for it', () => {
    const environment = new Environment({ plans: [node(null)] }).wait(5);
    const plan = kcm({ migration: 'canonical' });
    environment.cluster
      .node('cp-1')
      ?.files.write(manifestPath('kcm'), managerManifest('kcm', plan));
    environment.wait(20);
    expect(environment.pid('cp-1', 'kcm')).toBeUndefined();
    expect(valueAt(environment.mirror('cp-1', 'kcm'), 'status', 'phase')).toBe('Pending');
    environment.put('cp-1', 'kcm', plan);
    environment.wait(10);
    expect(environment.pid('cp-1', 'kcm')).toBeDefined();
  });

  it('crashed pods are restarted at once the first time, then after 10, 20, 40 s', () => {
    const environment = new Environment({ plans: [node(kcm())] }).wait(10);
    const gaps = [0, 1, 2, 3].map(() => {
      environment.cluster.crashProcess('cp-1', 'kcm');
      return environment.until('runs again', () => environment.pid('cp-1', 'kcm') !== undefined);
    });
    expect(gaps[0]).toBeLessThan(2);
    expect(gaps.slice(1)).toEqual([10, 20, 40]);
  });

  it('a liveness probe ends a paused process after a while', () => {
    const environment = new Environment({ plans: [node(kcm())] }).wait(10);
    const before = environment.pid('cp-1', 'kcm');
    environment.cluster.pauseProcess('cp-1', 'kcm');
    expect(environment.cluster.node('cp-1')?.host().processes[0]?.paused).toBe(true);
    expect(environment.cluster.node('cp-1')?.metrics('kcm')).toBeNull();
    environment.wait(100);
    expect(environment.pid('cp-1', 'kcm')).toBe(before);
    environment.wait(60);
    expect(environment.pid('cp-1', 'kcm')).not.toBe(before);
  });
});

describe('DaemonSets', () => {
  it("a DaemonSet's pod runs where the label is, and its process ends after the label is removed", () => {
    const environment = new Environment({
      plans: [node(external()), node(external())],
      ccmAccess: true,
    }).wait(10);
    addDaemonSet(environment, 'OnDelete');
    environment.wait(10);
    expect(environment.pid('cp-1', 'ccm')).toBeUndefined();
    label(environment, 'cp-1', 'true');
    environment.wait(10);
    expect([environment.pid('cp-1', 'ccm'), environment.pid('cp-2', 'ccm')]).toEqual([
      expect.any(Number),
      undefined,
    ]);
    expect(environment.ownedBy()).toBe('ccm');
    label(environment, 'cp-1', undefined);
    environment.wait(10);
    expect(environment.pid('cp-1', 'ccm')).toBeUndefined();
    const pods = environment.cluster.store.list('pods');
    expect(pods.ok && pods.object.filter((pod) => pod.metadata.name.startsWith(MAIN.ccm))).toEqual(
      [],
    );
  });

  it.each([
    { strategy: 'OnDelete' as const, changes: false },
    { strategy: 'RollingUpdate' as const, changes: true },
  ])('a changed template under $strategy restarts pods: $changes', ({ strategy, changes }) => {
    const environment = new Environment({ plans: [node(external())], ccmAccess: true });
    addDaemonSet(environment, strategy);
    label(environment, 'cp-1', 'true');
    environment.wait(20);
    const before = environment.pid('cp-1', 'ccm');
    setImage(environment, 'v1.30.13');
    environment.wait(30);
    expect(environment.pid('cp-1', 'ccm') !== before).toBe(changes);
  });

  it('DaemonSets do not change while no KCM leads', () => {
    const environment = new Environment({ plans: [node(null)], ccmAccess: true });
    addDaemonSet(environment, 'OnDelete');
    label(environment, 'cp-1', 'true');
    environment.wait(60);
    expect(environment.pid('cp-1', 'ccm')).toBeUndefined();
  });
});

describe('nodes', () => {
  it('a crashed node is NotReady after 40 s and comes back with a new boot', () => {
    const environment = new Environment({ plans: [node(kcm()), node(kcm())] }).wait(20);
    const name = environment.leader(MAIN.kcm) === 'cp-1' ? 'cp-2' : 'cp-1';
    const before = environment.cluster.node(name)?.host().bootId;
    environment.cluster.crashNode(name);
    expect(environment.cluster.node(name)?.reachable).toBe(false);
    expect(environment.cluster.node(name)?.host().processes).toEqual([]);
    environment.wait(30);
    expect(ready(environment, name)).toBe('True');
    environment.wait(12);
    expect(ready(environment, name)).toBe('Unknown');
    environment.cluster.healNode(name);
    environment.wait(15);
    expect(ready(environment, name)).toBe('True');
    expect(environment.cluster.node(name)?.host().bootId).not.toBe(before);
    expect(environment.pid(name, 'kcm')).toBeDefined();
  });

  it('a partitioned holder exits before another may take over', () => {
    const environment = new Environment({ plans: [node(kcm()), node(kcm())] }).wait(20);
    const holder = environment.leader(MAIN.kcm);
    const pid = environment.pid(holder, 'kcm');
    environment.cluster.partitionNode(holder);
    environment.wait(60);
    expect(environment.overlap()).toBe(0);
    expect(environment.owners()[0]).not.toContain(`#${String(pid)}`);
    environment.cluster.healNode(holder);
    environment.wait(40);
    expect(environment.overlap()).toBe(0);
    expect(environment.cluster.node(holder)?.reachable).toBe(true);
  });

  it('an external kubelet’s Node waits, tainted, for a CCM', () => {
    const environment = new Environment({
      plans: [node(external(), null, { kubelet: 'external' })],
      ccmAccess: true,
    }).wait(30);
    const spec = (): unknown => {
      const answer = environment.cluster.store.get({ resource: 'nodes', name: 'cp-1' });
      return answer.ok ? answer.object['spec'] : undefined;
    };
    expect(JSON.stringify(spec())).toContain('node.cloudprovider.kubernetes.io/uninitialized');
    environment.put('cp-1', 'ccm', ccm({ migration: 'off' }));
    environment.wait(10);
    expect(spec()).toMatchObject({ providerID: 'labcloud://cp-1' });
    expect(JSON.stringify(spec())).not.toContain('uninitialized');
  });
});
