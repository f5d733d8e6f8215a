import { describe, expect, it } from '@jest/globals';
import { readyStatus } from '../../../../testbed/simulator/loops/node-facts.js';
import type { MachineAnswer, MachineOrderRequest } from '../../../../testbed/simulator/model.js';
import { kcm, node, Scene } from '../scene.js';

const ORDER: MachineOrderRequest = {
  name: 'new-1',
  side: 'target',
  version: '1.30.14',
  files: { '/etc/motd': 'hello' },
  epoch: 3,
  idempotencyKey: 'k1',
};

function states(scene: Scene): Readonly<Record<string, string>> {
  return Object.fromEntries(scene.cluster.machines.list().map(({ name, state }) => [name, state]));
}

function deleted(scene: Scene, name: string, epoch = 3, key = `delete-${name}`): MachineAnswer {
  return scene.cluster.machines.delete(name, { epoch, idempotencyKey: key });
}

describe('machines', () => {
  it('machines boot in 9 to 20 s, with files, PKI and an etcd voter, before they are ready', () => {
    const scene = new Scene({ etcd: 'stacked' }).wait(10);
    expect(scene.cluster.machines.order(ORDER)).toMatchObject({
      kind: 'created',
      machine: { state: 'ordered' },
    });
    const seconds = scene.until('ready', () => states(scene)['new-1'] === 'ready');
    expect(seconds).toBeGreaterThan(9 + 2);
    expect(seconds).toBeLessThan(20 + 5);
    const files = scene.cluster.node('new-1')?.files;
    expect(files?.read('/etc/motd')?.content).toBe('hello');
    const authority = '/etc/kubernetes/pki/ca.crt';
    const { content } = scene.cluster.node('cp-1')?.files.read(authority) ?? { content: 'none' };
    expect(files?.read(authority)).toMatchObject({ content });
    expect(scene.cluster.etcd()?.find((member) => member.node === 'new-1')).toMatchObject({
      voter: true,
    });
    const answer = scene.cluster.store.get({ resource: 'nodes', name: 'new-1' });
    expect(answer.ok && readyStatus(answer.object)).toBe('True');
  });

  it('an order repeated under its key has one effect; another body under it, or an older epoch, is refused', () => {
    const scene = new Scene().wait(10);
    const { machines } = scene.cluster;
    machines.order(ORDER);
    scene.wait(30);
    expect(machines.order(ORDER)).toMatchObject({ kind: 'known', machine: { state: 'ready' } });
    expect(machines.order({ ...ORDER, version: '1.31.0' })).toMatchObject({
      kind: 'refused',
      reason: 'Conflict',
    });
    const stale = { ...ORDER, name: 'new-2', epoch: 2, idempotencyKey: 'k2' };
    expect(machines.order(stale)).toMatchObject({ kind: 'refused', reason: 'StaleEpoch' });
    expect(deleted(scene, 'new-1', 2)).toMatchObject({ kind: 'refused', reason: 'StaleEpoch' });
    expect(Object.keys(states(scene))).toEqual(['cp-1', 'cp-2', 'cp-3', 'new-1']);
  });

  it('deletion ends processes, then the machine, then the Node and its pods', () => {
    const scene = new Scene({ etcd: 'stacked' }).wait(10);
    expect(deleted(scene, 'cp-1')).toEqual({ kind: 'deleting' });
    expect(scene.cluster.etcd()).toHaveLength(2);
    expect(deleted(scene, 'cp-1')).toEqual({ kind: 'deleting' });
    scene.until('gone', () => !('cp-1' in states(scene)), 10);
    expect(deleted(scene, 'cp-1')).toEqual({ kind: 'gone' });
    expect(scene.cluster.store.get({ resource: 'nodes', name: 'cp-1' }).ok).toBe(false);
    expect(scene.mirror('cp-1', 'kcm')).toBeUndefined();
    expect(scene.cluster.node('cp-1')).toBeUndefined();
  });

  it('a deletion that etcd would not survive is refused', () => {
    const scene = new Scene({ etcd: 'stacked' }).wait(10);
    scene.cluster.crashNode('cp-1');
    expect(deleted(scene, 'cp-2')).toMatchObject({ kind: 'refused', reason: 'EtcdUnsafe' });
    expect(deleted(scene, 'cp-1')).toEqual({ kind: 'deleting' });
    scene.wait(10);
    scene.cluster.machines.order(ORDER);
    scene.until('a learner', () => scene.cluster.etcd()?.some((member) => !member.voter) === true);
    expect(deleted(scene, 'cp-2', 3, 'again')).toMatchObject({
      kind: 'refused',
      reason: 'EtcdUnsafe',
    });
  });

  it('a machine that never boots reports it and can be deleted', () => {
    const scene = new Scene({ brokenMachines: ['new-1'] }).wait(5);
    scene.cluster.machines.order(ORDER);
    scene.wait(30);
    expect(states(scene)['new-1']).toBe('failed');
    expect(deleted(scene, 'new-1')).toEqual({ kind: 'deleting' });
    scene.wait(10);
    expect('new-1' in states(scene)).toBe(false);
  });
});

describe('the cloud node lifecycle controller', () => {
  it('the cloud node lifecycle controller deletes the Node of a machine that is gone at the provider, and keeps one that only crashed', () => {
    const scene = new Scene({ plans: [node(kcm()), node(kcm())], workers: 1 }).wait(20);
    const holder = scene.owners()[0]?.includes('cp-1') === true ? 'cp-1' : 'cp-2';
    const other = holder === 'cp-1' ? 'cp-2' : 'cp-1';
    scene.cluster.crashNode(other);
    const gone = { name: 'worker-9' };
    const conditions = [{ type: 'Ready', status: 'Unknown' }];
    scene.cluster.store.create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: gone,
      status: { conditions },
    });
    scene.wait(120);
    expect(scene.cluster.store.get({ resource: 'nodes', name: other }).ok).toBe(true);
    expect(scene.cluster.store.get({ resource: 'nodes', ...gone }).ok).toBe(false);
    expect(scene.calls('InstanceExists').length).toBeGreaterThan(5);
  });
});
