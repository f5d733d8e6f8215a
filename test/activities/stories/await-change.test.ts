import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RunChange, WaitGoal } from '../../../domain/advance/run-state.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import type { SeenLook } from '../run-by-hand.js';
import { openStage, type Stage } from '../stage.js';

jest.setTimeout(120_000);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WEB_1 = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web-1' };

describe('a hold that waits', () => {
  let stage: Stage;
  let since: SeenLook;
  beforeEach(async () => {
    stage = await openStage({ spec: { nodes: 2 } });
    await stage.fence();
    // Its managers have just started: elections first.
    await stage.clock.sleep(MINUTE);
    since = await stage.look();
  });
  afterEach(() => stage.close());

  interface Waited extends RunChange {
    readonly waitedMs: number;
  }

  function wait(goal: WaitGoal, { atLeastMs = 0, atMostMs = DAY } = {}): Promise<Waited> {
    const began = stage.clock.nowMs();
    return stage.takePart(async () => {
      const change = await stage.activities.awaitChange({
        ...stage.context,
        ...{ epoch: 1, decide: NO_JUDGEMENTS, sightings: since.sightings },
        ...{ goal, atLeastMs, atMostMs },
      });
      return { ...change, waitedMs: stage.clock.nowMs() - began };
    });
  }

  describe('for another decision', () => {
    const changed = (options: { atLeastMs: number }): Promise<Waited> =>
      wait({ kind: 'decision', signature: since.decision.signature }, options);

    it('sleeps through what changes no decision, and ends when its time is up', async () => {
      const waiting = wait(
        { kind: 'decision', signature: since.decision.signature },
        { atMostMs: 3 * MINUTE },
      );
      await stage.clock.sleep(5000);
      await stage.ports.api.remove(WEB_1);
      expect((await waiting).ended).toBe('timeUp');
    });

    it('ends at once with what can be done now, however long it was to wait', async () => {
      const waiting = changed({ atLeastMs: DAY });
      await stage.clock.sleep(5000);
      // Somebody grants the access that the next step was about to grant.
      await stage.take({ kind: 'recordBaseline' });
      await stage.take({ kind: 'setAccess', access: 'leaseGrant', want: 'present' });
      const { ended, decision, waitedMs } = await waiting;
      expect(ended).toBe('changed');
      expect(decision.next.kind).toBe('step');
      expect(waitedMs).toBeLessThan(5 * MINUTE);
    });
  });

  describe('until the environment is well again', () => {
    const healed = (heals = 0, codes: readonly string[] = []): Promise<Waited> =>
      wait({ kind: 'healed', heals, codes }, { atMostMs: 60 * MINUTE });

    it('ends when everything has passed for the time to settle, and each next time for twice as long', async () => {
      const { settleMs } = stage.context.timings;
      for (const heals of [0, 1, 2]) {
        const { ended, waitedMs } = await healed(heals);
        expect(ended).toBe('healed');
        expect(waitedMs).toBeGreaterThanOrEqual(settleMs * 2 ** heals);
        expect(waitedMs).toBeLessThan(settleMs * 2 ** heals + MINUTE);
      }
    });

    it('begins to count again when something goes wrong meanwhile', async () => {
      const waiting = healed(2);
      await stage.clock.sleep(1000);
      stage.cluster.pauseProcess('cp-2', 'kcm');
      await stage.clock.sleep(2 * MINUTE);
      stage.cluster.resumeProcess('cp-2', 'kcm');
      const { ended, waitedMs } = await waiting;
      expect(ended).toBe('healed');
      expect(waitedMs).toBeGreaterThan(2 * MINUTE);
    });

    it('waits for the guard to take a breach out of the fence', async () => {
      const fence = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
      const note = (breach: string): Promise<unknown> =>
        stage.ports.api.mergePatch(
          { ...fence, namespace: 'kube-system', name: 'ccm-migrate' },
          { metadata: { annotations: { 'ccm-migrate.dev/breach': breach } } },
        );
      await note('CCM3005 nodesReady: not Ready: cp-2');
      const waiting = healed();
      await stage.clock.sleep(3 * MINUTE);
      await note('');
      expect((await waiting).waitedMs).toBeGreaterThan(3 * MINUTE);
    });
  });

  it('for the guard ends when it has renewed the fence in this epoch', async () => {
    const { ended } = await wait({ kind: 'guarded' }, { atMostMs: MINUTE });
    expect(ended).toBe('guarded');
  });
});
