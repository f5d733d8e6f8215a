import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openStage, type Stage } from '../stage.js';

jest.setTimeout(180_000);

describe('three nodes replaced, forward and back', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage({
      spec: { etcd: 'stacked' },
      policy: { nodes: { forward: 'replace', rollback: 'replace' } },
    });
  });
  afterEach(() => stage.close());

  it('adds before it removes, keeps the quorum and hands over once', async () => {
    const forward = await stage.migrate('ccm');
    expect(forward.filter((name) => name === 'addMachine')).toHaveLength(3);
    expect(forward.filter((name) => name === 'removeMachine')).toHaveLength(3);
    expect(stage.cluster.truth().controllers.service).toMatchObject({
      overlapSeconds: 0,
      moves: 2,
    });
    const { observation } = await stage.look();
    expect(observation.nodes.map(({ side }) => side)).toEqual(['target', 'target', 'target']);
    expect(observation.etcd.members.map(({ voter }) => voter)).toEqual(['yes', 'yes', 'yes']);

    const back = await stage.migrate('kcm');
    expect(back).toContain('parkKcm');
    expect(stage.cluster.truth().controllers.service.overlapSeconds).toBe(0);
    expect((await stage.look()).observation.nodes.map(({ side }) => side)).toEqual([
      'source',
      'source',
      'source',
    ]);
  });

  it('orders one machine, however often the step is attempted', async () => {
    await stage.fence();
    await stage.look();
    const effect = { kind: 'addMachine', machine: 'cp-9', side: 'source' } as const;
    const order = { name: 'addMachine', phase: 'returnToKcm' } as const;
    await stage.take({ kind: 'recordBaseline' });
    const first = await stage.take(effect, order);
    // The order, and kubeadm's configuration, which from now on describes what new machines run.
    expect(first.summary).toMatchObject({ mutations: 2 });
    await stage.fence();
    const second = await stage.take(effect, order);
    expect(second.summary).toMatchObject({ mutations: 0 });
    expect(stage.cluster.machines.list().filter(({ name }) => name === 'cp-9')).toHaveLength(1);
  });
});
