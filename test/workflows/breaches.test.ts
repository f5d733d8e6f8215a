import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { breachSignal, statusQuery } from '../../workflows/messages.js';
import { policyOf } from '../support/cluster-builder.js';
import { modelCluster, ownerIn } from './support/model-cluster.js';
import { openLab, say, tell, until, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

const NOT_READY = {
  gate: 'nodesReady',
  hardness: 'hard',
  verdict: 'fail',
  detail: 'not Ready: cp-2',
  code: 'CCM3005',
} as const;
const SLOW = { ...NOT_READY, gate: 'latency', hardness: 'soft', code: 'CCM3012' } as const;

describe('breaches and gates', () => {
  it('a breach holds at the safe point, cannot be skipped, and retry measures before the run continues', async () => {
    const cluster = modelCluster('c-breach');
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster);
      cluster.before = async (_step, nth) => {
        if (nth === 4) await handle.signal(breachSignal, NOT_READY);
      };
      const held = await until(handle, ({ holdReason }) => holdReason === 'gates');
      expect(held).toMatchObject({ target: 'ccm', findings: [{ code: 'CCM3005' }] });
      expect(cluster.attempts).toBe(4);
      const skipped = await say(handle, 'skip', { arguments: { code: 'CCM3005' } });
      expect(skipped).toEqual({ state: 'refused', detail: 'CCM4014: CCM3005 cannot be skipped' });

      cluster.soakVerdicts.push([NOT_READY]);
      await say(handle, 'retry');
      await until(handle, ({ holdReason, epoch }) => holdReason === 'gates' && epoch === 2);
      expect(cluster.attempts).toBe(4);
      await say(handle, 'retry');
      expect(await handle.result()).toMatchObject({ kind: 'done', epoch: 3 });
    });
  }, 60_000);

  it('a breach rolls back only where policy says so; one that cannot be read is still one', async () => {
    const cluster = modelCluster('c-breach-back');
    await lab.withWorker(async () => {
      const policy = policyOf({ onBreach: 'rollBack' });
      const handle = await lab.start(cluster, { policy });
      cluster.before = async (_step, nth) => {
        if (nth === 5) await handle.signal('breach', 'unreadable');
      };
      const outcome = await handle.result();
      expect(outcome).toMatchObject({ kind: 'rolledBack' });
      expect(outcome.summary).toContain('rolled back by policy onBreach: guard (CCM4023)');
      expect(ownerIn(cluster)).toBe('kcm');
    });
  }, 60_000);

  it('a breach of a run that an alert has paused rolls it back by policy, and one of a run that a person has paused does not', async () => {
    await lab.withWorker(async () => {
      const policy = policyOf({ onBreach: 'rollBack' });
      const pausedBy = async (actor: string) => {
        const cluster = modelCluster(`c-alert-breach-${actor.slice(0, 3)}`);
        const handle = await lab.start(cluster, { policy });
        cluster.before = async (_step, nth) => {
          if (nth === 5) await tell(handle, 'pause', { actor });
        };
        await until(handle, ({ pause }) => pause === 'paused');
        await handle.signal(breachSignal, NOT_READY);
        return handle;
      };
      const alerted = await pausedBy('automation/am');
      expect(await alerted.result()).toMatchObject({ kind: 'rolledBack', target: 'kcm' });
      const held = await pausedBy('ben@corp');
      expect(await say(held, 'retry')).toMatchObject({ state: 'refused' });
      expect(await held.query(statusQuery)).toMatchObject({ target: 'ccm', pause: 'paused' });
      await say(held, 'stop');
    });
  }, 90_000);

  it('a soft gate that fails in the soak holds; after a skip the rest of the soak runs', async () => {
    const cluster = modelCluster('c-soft');
    await lab.withWorker(async () => {
      cluster.soakVerdicts.push([SLOW], [SLOW, { ...SLOW, gate: 'errors' }]);
      const handle = await lab.start(cluster, { policy: policyOf({ soakSeconds: 0.2 }) });
      await until(handle, ({ holdReason }) => holdReason === 'gates');
      expect(await say(handle, 'skip', { arguments: { code: 'CCM3012' } })).toMatchObject({
        state: 'applied',
        detail: 'latency (CCM3012) skipped; it holds no soak of this direction any more',
      });
      const held = await until(
        handle,
        ({ gates, holdReason }) => holdReason === 'gates' && gates[0]?.gate === 'errors',
      );
      expect(held.gates).toHaveLength(1);
      await say(handle, 'skip', { arguments: { code: 'CCM3012' } });
      expect(await handle.result()).toMatchObject({ kind: 'done' });
    });
  }, 60_000);

  it('a blocked cluster is waited for, and its change ends the hold by itself', async () => {
    const cluster = modelCluster('c-blocked');
    const { inventory } = cluster.observation;
    cluster.observation = {
      ...cluster.observation,
      inventory: { ...inventory, persistentVolumes: { inTree: 3 } },
    };
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster);
      const held = await until(handle, ({ holdReason }) => holdReason === 'blocked');
      expect(held.findings[0]?.code).toBe('CCM2013');
      cluster.observation = { ...cluster.observation, inventory };
      expect(await handle.result()).toMatchObject({ kind: 'done' });
    });
  }, 60_000);

  it('a guard that ends is restarted behind a new fence; one that keeps failing holds the run', async () => {
    const [lost, failing] = [modelCluster('c-guard-lost'), modelCluster('c-guard-fails')];
    lost.guardEnds.push('fenceLost');
    failing.guardEnds.push('fails', 'fails', 'fails', 'fails');
    await lab.withWorker(async () => {
      expect(await (await lab.start(lost)).result()).toMatchObject({ kind: 'done', epoch: 2 });
      expect(new Set(lost.grants).size).toBe(2);
      const handle = await lab.start(failing);
      const held = await until(handle, ({ holdReason }) => holdReason === 'failure');
      expect(held.findings).toMatchObject([{ code: 'CCM4104', seen: 'the guard failed' }]);
      await say(handle, 'retry');
      expect(await handle.result()).toMatchObject({ kind: 'done' });
    });
  }, 60_000);

  it('a guard that is lost when the run would end is followed by one that reports', async () => {
    const cluster = modelCluster('c-guard-silent');
    cluster.guardEnds.push('silent');
    await lab.withWorker(async () => {
      const outcome = await (await lab.start(cluster)).result();
      expect(outcome).toMatchObject({ kind: 'done', epoch: 2, guard: { overlapSeconds: 0 } });
    });
  }, 60_000);

  it('a guard that fails for good on another worker leaves what it remembered to the next one', async () => {
    const cluster = modelCluster('c-guard-moves');
    cluster.guardEnds.push('moves', 'nowhere');
    await lab.withWorker(async () => {
      expect(await (await lab.start(cluster)).result()).toMatchObject({ kind: 'done', epoch: 2 });
    });
    const [first, second, third] = cluster.guardsBegan;
    expect([first, second]).toEqual([{ memory: null }, { memory: null }]);
    expect(third?.memory?.observations).toBeGreaterThan(0);
    expect(third?.mayHaveWritten?.sinceMs).toBeGreaterThan(0);
  }, 60_000);

  it('an approval is requested before the handover and never after it', async () => {
    const cluster = modelCluster('c-approve');
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, {
        policy: policyOf({ handoverApproval: 'required' }),
      });
      await until(handle, ({ holdReason }) => holdReason === 'approval');
      expect(ownerIn(cluster)).toBe('kcm');
      await say(handle, 'reject');
      expect(await say(handle, 'approve')).toMatchObject({ state: 'applied' });
      expect(await handle.result()).toMatchObject({ kind: 'done' });
    });
  }, 60_000);
});
