import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ETCD_MANIFEST } from '../../../testbed/base/kubeadm-defaults.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(180_000);

describe('three nodes replaced, forward and back', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({
      spec: { etcd: 'stacked' },
      policy: { nodes: { forward: 'replace', rollback: 'replace' } },
    });
  });
  afterEach(() => environment.close());

  it('a machine is added before one is removed, quorum holds, and ownership moves twice', async () => {
    const forward = await environment.migrate('ccm');
    expect(forward.filter((name) => name === 'addMachine')).toHaveLength(3);
    expect(forward.filter((name) => name === 'removeMachine')).toHaveLength(3);
    expect(environment.cluster.truth().controllers.service).toMatchObject({
      overlapSeconds: 0,
      moves: 2,
    });
    const { observation } = await environment.snapshot();
    expect(observation.nodes.map(({ side }) => side)).toEqual(['target', 'target', 'target']);
    expect(observation.etcd.members.map(({ voter }) => voter)).toEqual(['yes', 'yes', 'yes']);

    const back = await environment.migrate('kcm');
    expect(back).toContain('parkKcm');
    expect(environment.cluster.truth().controllers.service.overlapSeconds).toBe(0);
    expect((await environment.snapshot()).observation.nodes.map(({ side }) => side)).toEqual([
      'source',
      'source',
      'source',
    ]);
  });

  it('no machine is removed while another node shows no member of etcd', async () => {
    await environment.fence();
    await environment.take({ kind: 'recordBaseline' });
    environment.cluster.node('cp-2')?.files.remove(ETCD_MANIFEST);
    await environment.clock.sleep(30_000, new AbortController().signal);
    const { observation } = await environment.snapshot();
    expect(observation.nodes.map(({ ready }) => ready)).toEqual(['yes', 'yes', 'yes']);
    expect(observation.etcd.members.map(({ name }) => name)).toEqual(['cp-1', 'cp-3']);
    const removal = environment.take(
      { kind: 'removeMachine', node: 'cp-1', release: 'migrationThenMain' },
      { name: 'removeMachine', phase: 'replaceNodes', cures: ['CCM3002', 'CCM3005'] },
    );
    await expect(removal).rejects.toThrow('CCM3003 quorum: etcd health unknown: cp-2');
    expect(environment.cluster.etcd()?.map(({ name }) => name)).toEqual(['cp-1', 'cp-2', 'cp-3']);
  });

  it('a step orders one machine, however often it is attempted', async () => {
    await environment.fence();
    await environment.snapshot();
    const effect = { kind: 'addMachine', machine: 'cp-9', side: 'source' } as const;
    const order = { name: 'addMachine', phase: 'returnToKcm' } as const;
    await environment.take({ kind: 'recordBaseline' });
    const first = await environment.take(effect, order);
    // The order, and kubeadm's configuration, which from now on describes what new machines run.
    expect(first.summary).toMatchObject({ mutations: 2 });
    await environment.fence();
    const second = await environment.take(effect, order);
    expect(second.summary).toMatchObject({ mutations: 0 });
    expect(environment.cluster.machines.list().filter(({ name }) => name === 'cp-9')).toHaveLength(
      1,
    );
  });

  it('a machine can be ordered and removed again under the name that it had before', async () => {
    await environment.fence();
    await environment.snapshot();
    await environment.take({ kind: 'recordBaseline' });
    const isThere = (): boolean =>
      environment.cluster.machines.list().some(({ name }) => name === 'cp-9');
    const add = { kind: 'addMachine', machine: 'cp-9', side: 'source' } as const;
    const remove = { kind: 'removeMachine', node: 'cp-9', release: 'migrationThenMain' } as const;
    for (const round of [1, 2]) {
      await environment.take(add, { name: 'addMachine', phase: 'returnToKcm' });
      expect({ round, isThere: isThere() }).toEqual({ round, isThere: true });
      await environment.take(remove, { name: 'removeMachine', phase: 'replaceNodes' });
      expect({ round, isThere: isThere() }).toEqual({ round, isThere: false });
    }
    // Deleted by a person, such as one that failed.
    await environment.take(add, { name: 'addMachine', phase: 'returnToKcm' });
    await environment.ports.machines?.remove('cp-9', { epoch: 1, idempotencyKey: 'by hand' });
    await environment.clock.sleep(30_000);
    await environment.take(add, { name: 'addMachine', phase: 'returnToKcm' });
    expect(isThere()).toBe(true);
  });
});
