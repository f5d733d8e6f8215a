import { describe, expect, it } from '@jest/globals';
import { ETCD_MANIFEST } from '../../../../testbed/base/kubeadm-defaults.js';
import { readyStatus } from '../../../../testbed/simulator/loops/node-facts.js';
import type { MachineAnswer, MachineOrderRequest } from '../../../../testbed/simulator/model.js';
import { kcm, node, Environment } from '../environment.js';

const ORDER: MachineOrderRequest = {
  name: 'new-1',
  side: 'target',
  version: '1.30.14',
  files: { '/etc/motd': 'hello' },
  epoch: 3,
  idempotencyKey: 'k1',
};

function states(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    environment.cluster.machines.list().map(({ name, state }) => [name, state]),
  );
}

function deleted(
  environment: Environment,
  name: string,
  epoch = 3,
  key = `delete-${name}`,
): MachineAnswer {
  return environment.cluster.machines.delete(name, { epoch, idempotencyKey: key });
}

describe('machines', () => {
  it('machines boot in 9 to 20 s, with files, PKI and an etcd voter, before they are ready', () => {
    const environment = new Environment({ etcd: 'stacked' }).wait(10);
    expect(environment.cluster.machines.order(ORDER)).toMatchObject({
      kind: 'created',
      machine: { state: 'ordered' },
    });
    const seconds = environment.until('ready', () => states(environment)['new-1'] === 'ready');
    expect(seconds).toBeGreaterThan(9 + 2);
    expect(seconds).toBeLessThan(20 + 5);
    const files = environment.cluster.node('new-1')?.files;
    expect(files?.read('/etc/motd')?.content).toBe('hello');
    const authority = '/etc/kubernetes/pki/ca.crt';
    const { content } = environment.cluster.node('cp-1')?.files.read(authority) ?? {
      content: 'none',
    };
    expect(files?.read(authority)).toMatchObject({ content });
    expect(environment.cluster.etcd()?.find((member) => member.node === 'new-1')).toMatchObject({
      voter: true,
    });
    const answer = environment.cluster.store.get({ resource: 'nodes', name: 'new-1' });
    expect(answer.ok && readyStatus(answer.object)).toBe('True');
  });

  it('an order repeated under its key has one effect; another body under it, or an older epoch, is refused', () => {
    const environment = new Environment().wait(10);
    const { machines } = environment.cluster;
    machines.order(ORDER);
    environment.wait(30);
    expect(machines.order(ORDER)).toMatchObject({ kind: 'known', machine: { state: 'ready' } });
    expect(machines.order({ ...ORDER, version: '1.31.0' })).toMatchObject({
      kind: 'refused',
      reason: 'Conflict',
    });
    const stale = { ...ORDER, name: 'new-2', epoch: 2, idempotencyKey: 'k2' };
    expect(machines.order(stale)).toMatchObject({ kind: 'refused', reason: 'StaleEpoch' });
    expect(deleted(environment, 'new-1', 2)).toMatchObject({
      kind: 'refused',
      reason: 'StaleEpoch',
    });
    expect(Object.keys(states(environment))).toEqual(['cp-1', 'cp-2', 'cp-3', 'new-1']);
  });

  it('an order has its effect once, also when its machine was deleted since; so has a deletion', () => {
    const environment = new Environment().wait(10);
    const { machines } = environment.cluster;
    const created = machines.order(ORDER);
    environment.wait(30);
    deleted(environment, 'new-1');
    environment.wait(10);
    expect(machines.order(ORDER)).toEqual(created);
    expect('new-1' in states(environment)).toBe(false);
    expect(machines.order({ ...ORDER, idempotencyKey: 'k2' })).toMatchObject({ kind: 'created' });
    environment.wait(30);
    expect(deleted(environment, 'new-1')).toEqual({ kind: 'deleting' });
    expect(states(environment)['new-1']).toBe('ready');
  });

  it('deletion ends processes, then the machine, then the Node and its pods', () => {
    const environment = new Environment({ etcd: 'stacked' }).wait(10);
    expect(deleted(environment, 'cp-1')).toEqual({ kind: 'deleting' });
    expect(environment.cluster.etcd()).toHaveLength(2);
    expect(deleted(environment, 'cp-1')).toEqual({ kind: 'deleting' });
    environment.until('gone', () => !('cp-1' in states(environment)), 10);
    expect(deleted(environment, 'cp-1')).toEqual({ kind: 'gone' });
    expect(environment.cluster.store.get({ resource: 'nodes', name: 'cp-1' }).ok).toBe(false);
    expect(environment.mirror('cp-1', 'kcm')).toBeUndefined();
    expect(environment.cluster.node('cp-1')).toBeUndefined();
  });

  it('a deletion that etcd would not survive is refused', () => {
    const environment = new Environment({ etcd: 'stacked' }).wait(10);
    environment.cluster.crashNode('cp-1');
    expect(deleted(environment, 'cp-2')).toMatchObject({ kind: 'refused', reason: 'EtcdUnsafe' });
    expect(deleted(environment, 'cp-1')).toEqual({ kind: 'deleting' });
    environment.wait(10);
    environment.cluster.machines.order(ORDER);
    environment.until(
      'a learner',
      () => environment.cluster.etcd()?.some((member) => !member.voter) === true,
    );
    expect(deleted(environment, 'cp-2', 3, 'again')).toMatchObject({
      kind: 'refused',
      reason: 'EtcdUnsafe',
    });
  });

  it('a member whose manifest was moved away is down, whatever its Node says', () => {
    const environment = new Environment({ etcd: 'stacked' }).wait(10);
    environment.cluster.node('cp-2')?.files.remove(ETCD_MANIFEST);
    environment.wait(30);
    const node = environment.cluster.store.get({ resource: 'nodes', name: 'cp-2' });
    expect(node.ok && readyStatus(node.object)).toBe('True');
    const pod = { resource: 'pods', namespace: 'kube-system' };
    const shown = ['cp-1', 'cp-2', 'cp-3'].map(
      (name) => environment.cluster.store.get({ ...pod, name: `etcd-${name}` }).ok,
    );
    expect(shown).toEqual([true, false, true]);
    expect(deleted(environment, 'cp-1')).toMatchObject({ kind: 'refused', reason: 'EtcdUnsafe' });
    expect(deleted(environment, 'cp-2')).toEqual({ kind: 'deleting' });
  });

  it('a machine that never boots reports it and can be deleted', () => {
    const environment = new Environment({ brokenMachines: ['new-1'] }).wait(5);
    environment.cluster.machines.order(ORDER);
    environment.wait(30);
    expect(states(environment)['new-1']).toBe('failed');
    expect(deleted(environment, 'new-1')).toEqual({ kind: 'deleting' });
    environment.wait(10);
    expect('new-1' in states(environment)).toBe(false);
  });
});

describe('the cloud node lifecycle controller', () => {
  it('the cloud node lifecycle controller deletes the Node of a machine that is gone at the provider, and keeps one that only crashed', () => {
    const environment = new Environment({ plans: [node(kcm()), node(kcm())], workers: 1 }).wait(20);
    const holder = environment.owners()[0]?.includes('cp-1') === true ? 'cp-1' : 'cp-2';
    const other = holder === 'cp-1' ? 'cp-2' : 'cp-1';
    environment.cluster.crashNode(other);
    const gone = { name: 'worker-9' };
    const conditions = [{ type: 'Ready', status: 'Unknown' }];
    environment.cluster.store.create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: gone,
      status: { conditions },
    });
    environment.wait(120);
    expect(environment.cluster.store.get({ resource: 'nodes', name: other }).ok).toBe(true);
    expect(environment.cluster.store.get({ resource: 'nodes', ...gone }).ok).toBe(false);
    expect(environment.calls('InstanceExists').length).toBeGreaterThan(5);
  });
});
