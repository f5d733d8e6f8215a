import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { quietScope } from '../../../activities/dependencies.js';
import { FENCE } from '../../../activities/fence/fence-record.js';
import { getFence } from '../../../activities/fence/read-fence.js';
import { createActivities } from '../../../activities/index.js';
import type { WaitGoal } from '../../../domain/run/run-state.js';
import { leaseGrantObjects } from '../../../domain/access/access-objects.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import type { SeenSnapshot } from '../run-by-hand.js';
import { openEnvironment, type Environment } from '../environment.js';
import type { RunChange } from '../../../domain/run/results.js';

jest.setTimeout(120_000);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WEB_1 = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web-1' };

describe('a hold that waits', () => {
  let environment: Environment;
  let since: SeenSnapshot;
  beforeEach(async () => {
    environment = await openEnvironment({ spec: { nodes: 2 } });
    await environment.fence();
    // Its managers have just started: elections come first.
    await environment.clock.sleep(MINUTE);
    since = await environment.snapshot();
  });
  afterEach(() => environment.close());

  interface Waited extends RunChange {
    readonly waitedMs: number;
  }

  function wait(goal: WaitGoal, { atLeastMs = 0, atMostMs = DAY } = {}): Promise<Waited> {
    const began = environment.clock.nowMs();
    return environment.takePart(async () => {
      const change = await environment.activities.awaitChange({
        ...environment.context,
        ...{ epoch: 1, decide: NO_JUDGEMENTS, firstSeen: since.firstSeen },
        ...{ goal, atLeastMs, atMostMs },
      });
      return { ...change, waitedMs: environment.clock.nowMs() - began };
    });
  }

  describe('for another decision', () => {
    const changed = (options: { atLeastMs: number; atMostMs?: number }): Promise<Waited> =>
      wait({ kind: 'decision', signature: since.decision.signature }, options);

    it('a hold waits through what changes no decision, and ends when its time is up', async () => {
      const waiting = wait(
        { kind: 'decision', signature: since.decision.signature },
        { atMostMs: 3 * MINUTE },
      );
      await environment.clock.sleep(5000);
      await environment.ports.api.remove(WEB_1);
      expect((await waiting).ended).toBe('timeUp');
    });

    it('a hold ends at once with a step that is possible now, however long it was to wait', async () => {
      const waiting = changed({ atLeastMs: DAY });
      await environment.clock.sleep(5000);
      // An operator grants the access that the next step was about to grant.
      await environment.take({ kind: 'recordBaseline' });
      await environment.take({ kind: 'setAccess', access: 'leaseGrant', want: 'present' });
      const { ended, decision, waitedMs } = await waiting;
      expect(ended).toBe('changed');
      expect(decision.next.kind).toBe('step');
      expect(waitedMs).toBeLessThan(5 * MINUTE);
    });

    it('a hold reports a new hold reason no sooner than its interval', async () => {
      environment.cluster.partitionNode('cp-2');
      const { ended, decision, waitedMs } = await changed({
        ...{ atLeastMs: 10 * MINUTE, atMostMs: 20 * MINUTE },
      });
      expect(ended).toBe('changed');
      expect(decision.next.kind).toBe('blocked');
      expect(waitedMs).toBeGreaterThanOrEqual(10 * MINUTE);
    });

    it('a hold takes no decision from what is still in motion: a Lease that was observed only once', async () => {
      since = { ...since, firstSeen: [] };
      const { ended, waitedMs } = await wait({ kind: 'decision', signature: 'another' });
      expect(ended).toBe('changed');
      expect(waitedMs).toBeGreaterThan(0);
    });

    it('a hold re-reads within minutes what rarely changes', async () => {
      await environment.take({ kind: 'recordBaseline' });
      since = await environment.snapshot();
      const waiting = changed({ atLeastMs: 0, atMostMs: 5 * MINUTE });
      await environment.clock.sleep(5000);
      // By another client than this worker, which would know its own writes.
      for (const object of leaseGrantObjects(environment.context.policy.lock)) {
        await environment.ports.api.create(object);
      }
      const { ended, waitedMs } = await waiting;
      expect(ended).toBe('changed');
      expect(waitedMs).toBeLessThan(3 * MINUTE);
    });
  });

  describe('until the environment is well again', () => {
    const healed = (heals = 0, codes: readonly string[] = []): Promise<Waited> =>
      wait({ kind: 'healed', heals, codes }, { atMostMs: 60 * MINUTE });

    it('a hold ends when everything has passed for the settle time, which doubles each time', async () => {
      const { settleMs } = environment.context.timings;
      for (const heals of [0, 1, 2]) {
        const { ended, waitedMs } = await healed(heals);
        expect(ended).toBe('healed');
        expect(waitedMs).toBeGreaterThanOrEqual(settleMs * 2 ** heals);
        expect(waitedMs).toBeLessThan(settleMs * 2 ** heals + MINUTE);
      }
    });

    it('a hold restarts the settle time when something goes wrong meanwhile', async () => {
      const waiting = healed(2);
      await environment.clock.sleep(1000);
      environment.cluster.pauseProcess('cp-2', 'kcm');
      await environment.clock.sleep(2 * MINUTE);
      environment.cluster.resumeProcess('cp-2', 'kcm');
      const { ended, waitedMs } = await waiting;
      expect(ended).toBe('healed');
      expect(waitedMs).toBeGreaterThanOrEqual(
        2 * MINUTE + 4 * environment.context.timings.settleMs,
      );
    });

    it('a hold does not wait while the next step repairs the problem: two owners', async () => {
      await environment.take({ kind: 'setAccess', access: 'ccmAccess', want: 'present' });
      const ccm = '/etc/kubernetes/manifests/cloud-controller-manager.yaml';
      await environment.ports.files.write('cp-1', ccm, environment.ccmManifest, {
        ...{ expect: 'absent', epoch: 1 },
      });
      await environment.clock.sleep(MINUTE);
      since = await environment.snapshot();
      expect(since.decision.next).toMatchObject({
        kind: 'step',
        planned: { step: { cures: expect.arrayContaining(['CCM3001']) } },
      });
      const { ended, waitedMs } = await healed(0, ['CCM3001']);
      expect(ended).toBe('healed');
      expect(waitedMs).toBeLessThan(environment.context.timings.settleMs);
    });

    const note = (breach: string, acknowledged = ''): Promise<unknown> => {
      const annotations = {
        'ccm-migrate.dev/breach': breach,
        'ccm-migrate.dev/acknowledged': acknowledged,
      };
      return environment.ports.api.mergePatch(FENCE, { metadata: { annotations } });
    };

    it('a hold waits for the guard to remove a breach from the fence', async () => {
      await note('CCM3005 nodesReady: not Ready: cp-2');
      const waiting = healed();
      await environment.clock.sleep(3 * MINUTE);
      await note('');
      expect((await waiting).waitedMs).toBeGreaterThan(3 * MINUTE);
    });

    it('a gate on metrics that holds ends its hold by recovering, not by what was acknowledged before', async () => {
      await note('CCM3101 cloudErrors: 9 of 40 calls failed', 'CCM3101:cloudErrors');
      const waiting = healed();
      await environment.clock.sleep(3 * MINUTE);
      await note('');
      expect((await waiting).waitedMs).toBeGreaterThan(3 * MINUTE);
    });
  });

  it('a hold for the guard ends when it has renewed the fence in this epoch', async () => {
    const { ended } = await wait({ kind: 'guarded' }, { atMostMs: MINUTE });
    expect(ended).toBe('guarded');
  });

  it('a hold that was cancelled leaves the fence as the next step needs it', async () => {
    const { api } = environment.ports;
    const controller = new AbortController();
    const { dependencies } = environment;
    const waits = createActivities({
      ...dependencies,
      scope: () => quietScope(controller.signal),
      connect: async (cluster) => {
        const connection = await dependencies.connect(cluster);
        const list: typeof connection.api.list = async (ref, options) => {
          const answer = await connection.api.list(ref, options);
          if (ref.kind === 'Lease') controller.abort(new CancelledFailure('CANCELLED'));
          return answer as never;
        };
        return { ...connection, api: { ...connection.api, list } };
      },
    });
    const waiting = waits.awaitChange({
      ...environment.context,
      ...{ epoch: 1, decide: NO_JUDGEMENTS, firstSeen: since.firstSeen },
      ...{ goal: { kind: 'decision', signature: since.decision.signature } },
      ...{ atLeastMs: 0, atMostMs: DAY },
    });
    await expect(waiting).rejects.toBeInstanceOf(CancelledFailure);
    expect((await getFence(api)).fence?.mode).toBe('active');
  });
});
