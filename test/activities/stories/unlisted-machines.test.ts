import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import type { LeaseObject } from '../../../activities/lease-reading.js';
import { backupPath, manifestPath, parkedPath } from '../../../activities/node-paths.js';
import type { ClusterPorts, Machine } from '../../../activities/ports.js';
import { DAEMON_SET } from '../daemon-set-manifest.js';
import { openEnvironment, type Environment } from '../environment.js';
import { simulatorPolicy } from '../simulator-policy.js';

jest.setTimeout(180_000);

const MAIN = {
  ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  ...{ namespace: 'kube-system', name: 'kube-controller-manager' },
} as const;
const CCM_MAIN = { ...MAIN, name: 'cloud-controller-manager' } as const;

/** What stands in for the provider's answers. */
interface Answers {
  list: (machines: readonly Machine[]) => readonly Machine[];
  /** False swallows a deletion. */
  deletes: boolean;
  /** What a deletion is refused with. */
  refusal: Error | null;
  removed: string[];
  /** Called after a Lease was read. */
  read: (lease: string) => Promise<unknown> | undefined;
}

const truthful = (): Answers => ({
  ...{ list: (all) => all, deletes: true, refusal: null, removed: [] },
  read: () => undefined,
});

function answering(ports: ClusterPorts, answers: Answers): ClusterPorts {
  const { machines } = ports;
  if (machines === null) return ports;
  return {
    ...ports,
    api: {
      ...ports.api,
      get: async (ref, options) => {
        const answer = await ports.api.get(ref, options);
        if (ref.kind === 'Lease') await answers.read(ref.name);
        // Passed on unchanged.
        return answer as never;
      },
    },
    machines: {
      list: async (options) => answers.list(await machines.list(options)),
      add: (...given) => machines.add(...given),
      remove: async (name, ...rest) => {
        answers.removed.push(name);
        if (answers.refusal !== null) throw answers.refusal;
        if (answers.deletes) await machines.remove(name, ...rest);
      },
    },
  };
}

const removal = (node: string) =>
  [
    { kind: 'removeMachine', node, release: 'mainThenMigration' },
    { name: 'removeMachine', phase: 'replaceNodes', cures: ['CCM3002', 'CCM3005'] },
  ] as const;

const listedAs =
  (node: string, change: Partial<Machine>) =>
  (all: readonly Machine[]): readonly Machine[] =>
    all.map((each) => (each.node === node ? { ...each, ...change } : each));

const without =
  (node: string) =>
  (all: readonly Machine[]): readonly Machine[] =>
    all.filter((each) => each.node !== node);

const holderOf = async ({ ports }: Environment, lease: typeof MAIN | typeof CCM_MAIN) =>
  (await ports.api.get<LeaseObject>(lease))?.object.spec?.holderIdentity ?? '';

const hasNode = async ({ ports }: Environment, name: string): Promise<boolean> =>
  (await ports.api.get({ apiVersion: 'v1', kind: 'Node', name })) !== null;

describe('a machine that the provider does not list for its node', () => {
  const answers = truthful();
  let environment: Environment;
  let leader = '';
  let standby = '';
  beforeEach(async () => {
    Object.assign(answers, truthful());
    environment = await openEnvironment({ wrap: (ports) => answering(ports, answers) });
    await environment.fence();
    const { observation } = await environment.snapshot();
    [leader = ''] = (await holderOf(environment, MAIN)).split('_');
    standby = observation.nodes.find(({ name }) => name !== leader)?.name ?? '';
  });
  afterEach(() => environment.close());

  it.each([
    ['left out', without, 'the node answers'],
    ['listed without its Node', (node) => listedAs(node, { name: 'm-77', node: null }), 'm-77'],
    ['listed as that of another node', (node) => listedAs(node, { node: 'cp-9' }), 'answers'],
  ] as const satisfies readonly (readonly [string, (node: string) => Answers['list'], string])[])(
    'keeps its Leases and its Node while it runs: %s',
    async (_name, list, seen) => {
      const holder = await holderOf(environment, MAIN);
      answers.list = list(leader);
      await expect(environment.take(...removal(leader))).rejects.toMatchObject({
        type: 'NoProof',
        message: expect.stringContaining(seen),
        details: [{ wrote: false }],
      });
      expect(await holderOf(environment, MAIN)).toBe(holder);
      expect(await hasNode(environment, leader)).toBe(true);
      expect(answers.removed).toEqual([]);
    },
  );

  it('may still run where its node is silent but another machine has no Node', async () => {
    environment.cluster.crashNode(standby);
    await environment.clock.sleep(60_000);
    answers.list = listedAs(standby, { name: 'm-77', node: null, state: 'failed' });
    await expect(environment.take(...removal(standby))).rejects.toMatchObject({ type: 'NoProof' });
    answers.list = listedAs(standby, { name: 'm-77', node: null, state: 'booting' });
    await environment.take(...removal(standby));
    expect(await hasNode(environment, standby)).toBe(false);
  });

  it('leaves its manifest beside where its provider refuses to delete it', async () => {
    const read = (path: string) => environment.ports.files.read(leader, path);
    const before = await read(manifestPath('kcm'));
    const hash = before?.hash ?? '';
    answers.refusal = failure('PreconditionFailed', 'a member of etcd would be missed');
    await expect(environment.take(...removal(leader))).rejects.toThrow('would be missed');
    expect(await read(manifestPath('kcm'))).toBeNull();
    for (const path of [parkedPath('kcm'), backupPath('kcm', hash)]) {
      expect({ path, hash: (await read(path))?.hash }).toEqual({ path, hash });
    }
    const want = { manager: 'kcm', role: 'inTree', leaderMigration: 'off' } as const;
    await environment.take({ kind: 'changeManager', node: leader, want, release: 'none' });
    expect(await read(manifestPath('kcm'))).not.toBeNull();
    expect(await read(parkedPath('kcm'))).toBeNull();
  });

  it('has gone once its node is silent and no longer Ready, for which the step waits', async () => {
    answers.list = without(standby);
    environment.cluster.crashNode(standby);
    const beganMs = environment.clock.nowMs();
    await environment.take(...removal(standby));
    expect(environment.clock.nowMs() - beganMs).toBeGreaterThan(30_000);
    expect(await hasNode(environment, standby)).toBe(false);
  });

  it('is not gone where its node answers again while the step waits', async () => {
    answers.list = without(standby);
    environment.cluster.partitionNode(standby);
    const taking = environment.takePart(() => environment.take(...removal(standby)));
    const back = environment.takePart(async () => {
      await environment.clock.sleep(10_000);
      environment.cluster.healNode(standby);
    });
    await expect(taking).rejects.toMatchObject({
      type: 'NoProof',
      message: expect.stringContaining('but it answers'),
    });
    await back;
    expect(await hasNode(environment, standby)).toBe(true);
  });

  it('keeps its name to itself where its Node has another', async () => {
    expect((await environment.snapshot()).observation).not.toHaveProperty('takenNames');
    answers.list = listedAs(standby, { name: 'cp-4' });
    expect((await environment.snapshot()).observation).toMatchObject({ takenNames: ['cp-4'] });
  });

  it('is not ordered again for one answer that leaves it out', async () => {
    await environment.take({ kind: 'recordBaseline' });
    const add = { kind: 'addMachine', machine: 'cp-9', side: 'source' } as const;
    await environment.take(add, { name: 'addMachine', phase: 'returnToKcm' });
    let answered = 0;
    // The first is the observation that the step begins with.
    answers.list = (all) => ((answered += 1) === 2 ? without('cp-9')(all) : all);
    const { summary } = await environment.take(add, { name: 'addMachine', phase: 'returnToKcm' });
    expect(summary).toMatchObject({ mutations: 0 });
    expect(answered).toBeGreaterThan(2);
  });

  it('is not gone by one answer that leaves it out', async () => {
    let answered = 0;
    answers.deletes = false;
    answers.list = (all) => {
      const first = answers.removed.length > 0 && (answered += 1) === 1;
      return first ? without(standby)(all) : all;
    };
    await expect(environment.take(...removal(standby))).rejects.toMatchObject({
      type: 'EffectNotSeen',
    });
    expect(await hasNode(environment, standby)).toBe(true);
  });

  it('keeps its Node while the node answers, though its provider says that it was deleted', async () => {
    answers.deletes = false;
    answers.list = (all) => (answers.removed.length > 0 ? without(standby)(all) : all);
    await expect(environment.take(...removal(standby))).rejects.toMatchObject({
      type: 'NoProof',
      message: expect.stringContaining('but it answers'),
    });
    expect(await hasNode(environment, standby)).toBe(true);
  });
});

describe('a machine whose node has pods', () => {
  const answers = truthful();
  const POD = { apiVersion: 'v1', kind: 'Pod', namespace: 'default' } as const;
  let environment: Environment;
  beforeEach(async () => {
    Object.assign(answers, truthful());
    environment = await openEnvironment({ wrap: (ports) => answering(ports, answers) });
    await environment.fence();
    await environment.snapshot();
  });
  afterEach(() => environment.close());

  /** One that stays for as long as it has its finalizer, however long it has been terminating. */
  const addPod = (name: string, finalizers: readonly string[]): void => {
    environment.cluster.store.create('pods', {
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { name, namespace: 'default', finalizers: [...finalizers] },
      spec: { nodeName: 'cp-2', containers: [{ name, image: 'shop' }] },
    });
  };

  it('is deleted once those that were evicted have left, and others have come', async () => {
    addPod('shop-1', ['example.com/wait']);
    const removing = environment.takePart(() => environment.take(...removal('cp-2')));
    const meanwhile = environment.takePart(async () => {
      await environment.clock.sleep(20_000);
      const early = [...answers.removed];
      // It tolerates the cordon, and would be followed by the next.
      addPod('shop-2', []);
      const left = { metadata: { finalizers: null } };
      await environment.ports.api.mergePatch({ ...POD, name: 'shop-1' }, left);
      return early;
    });
    const { summary } = await removing;
    expect(await meanwhile).toEqual([]);
    expect(answers.removed).toEqual(['cp-2']);
    expect(summary.detail).toContain('1 pods have left cp-2');
  });

  it('is kept while one of them is still there, which is evicted once', async () => {
    addPod('shop-1', ['example.com/wait']);
    for (const _attempt of [1, 2]) {
      await expect(environment.take(...removal('cp-2'))).rejects.toMatchObject({
        type: 'EffectNotSeen',
        message: expect.stringContaining('default/shop-1'),
      });
    }
    expect(answers.removed).toEqual([]);
    const evictions = (await environment.evidence()).filter(
      ({ entry }) => entry.kind === 'intent' && entry.intent.verb === 'evict',
    );
    expect(evictions).toHaveLength(1);
  });
});

describe('a manager that its machine ends', () => {
  const answers = truthful();
  let environment: Environment;
  beforeEach(async () => {
    Object.assign(answers, truthful());
    environment = await openEnvironment({
      policy: { ccm: { ...simulatorPolicy().ccm, deployAs: 'daemonSet' } },
      ccmManifest: DAEMON_SET,
      wrap: (ports) => answering(ports, answers),
    });
    await environment.migrate('ccm');
    await environment.fence();
    await environment.snapshot();
  });
  afterEach(() => environment.close());

  it('keeps its Leases while it renews them, though its provider says that it was deleted', async () => {
    const holder = await holderOf(environment, CCM_MAIN);
    const [node = ''] = holder.split('_');
    answers.deletes = false;
    answers.list = (all) => (answers.removed.length > 0 ? without(node)(all) : all);
    await expect(environment.take(...removal(node))).rejects.toMatchObject({
      type: 'NoProof',
      message: expect.stringContaining(`${holder} renews Lease`),
    });
    expect(await holderOf(environment, CCM_MAIN)).toBe(holder);
  });

  it('is left its Lease where that was written since it was watched', async () => {
    const { api } = environment.ports;
    const holder = await holderOf(environment, CCM_MAIN);
    const [node = ''] = holder.split('_');
    const lease = (await api.get<LeaseObject>(CCM_MAIN))?.object.spec;
    const watchedMs = ((lease?.leaseDurationSeconds ?? NaN) * 1000) / 3;
    let sinceMs = Infinity;
    answers.read = (name) => {
      if (answers.removed.length === 0 || name !== CCM_MAIN.name) return undefined;
      sinceMs = Math.min(sinceMs, environment.clock.nowMs());
      if (environment.clock.nowMs() - sinceMs < watchedMs) return undefined;
      answers.read = () => undefined;
      return api.mergePatch(CCM_MAIN, { spec: { leaseTransitions: 99 } });
    };
    const { summary } = await environment.take(...removal(node));
    expect(summary.detail).not.toMatch(/Lease cloud-controller-manager released/);
  });

  it('leaves them to the next once it is silent', async () => {
    const holder = await holderOf(environment, CCM_MAIN);
    const [node = ''] = holder.split('_');
    const { summary } = await environment.take(...removal(node));
    expect(summary.detail).toMatch(/Lease cloud-controller-manager released .* is silent/);
    expect(environment.cluster.truth().controllers.service.overlapSeconds).toBe(0);
  });
});
