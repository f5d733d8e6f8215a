import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { waitReason, type WaitReason } from '../../domain/fleet/wait-reasons.js';
import { goOnSignal } from './support/fleet-member.js';
import {
  type FleetHandle,
  type FleetLab,
  memberId,
  openFleetLab,
  order,
  stateOf,
  untilOpen,
  untilPhases,
} from './support/fleet-lab.js';
import { chainOf, eventually } from './support/migration-run.js';

let lab: FleetLab;
beforeAll(async () => {
  lab = await openFleetLab();
});
afterAll(() => lab.close());

const member = (name: string): WorkflowHandle =>
  lab.environment.client.workflow.getHandle(memberId(lab, name));

const areAll =
  (...wanted: readonly string[]) =>
  (phases: readonly string[]): boolean =>
    phases.join() === wanted.join();

const ONE = { caps: { region: 1 } } as const;
const SOON = { othersAfterMs: 300 } as const;

/** What the first cluster waits for, once it is as wanted. */
function untilWaits(handle: FleetHandle, kind: WaitReason['kind']): Promise<WaitReason | null> {
  const first = async (): Promise<WaitReason | null> => {
    const state = await stateOf(handle);
    const [row] = state.rows;
    return row === undefined ? null : waitReason(state, row);
  };
  return eventually(first, (reason) => reason?.kind === kind);
}

/** Until others could find a run of this cluster. */
async function untilListed(name: string): Promise<void> {
  await untilOpen(lab, name);
  await eventually(
    () => lab.directory.openRuns(1000),
    (runs) => runs.some(({ workflowId }) => workflowId === memberId(lab, name)),
  );
}

/** How often a fleet asked what others change. */
async function countsOf(handle: FleetHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'countOthers',
  ).length;
}

describe('a cap that two fleets share, over a real server', () => {
  it('the clusters of one region never change at the same time, and the second fleet goes on when the first ends', async () => {
    await lab.withWorker(async () => {
      const shared = [`region=${lab.named('shared')}`];
      const first = await lab.start({
        ...{ name: 'first', rows: [{ name: 'slow-1', groups: shared }] },
        ...{ policy: ONE, changes: SOON },
      });
      await untilPhases(first, areAll('active'));
      await untilListed('slow-1');
      const second = await lab.start({
        name: 'second',
        rows: [
          { name: 'slow-2', groups: shared },
          { name: 'elsewhere', groups: [`region=${lab.named('free')}`] },
        ],
        ...{ policy: ONE, changes: SOON },
      });
      await untilPhases(second, areAll('waiting', 'proven'));
      expect(await untilWaits(second, 'cap')).toEqual({
        ...{ kind: 'cap', group: shared[0], cap: 1, others: 1 },
      });
      await member('slow-1').signal(goOnSignal);
      expect(await first.result()).toMatchObject({ counts: { proven: 1 } });
      await untilPhases(second, areAll('active', 'proven'));
      await untilOpen(lab, 'slow-2');
      const [before, after] = await Promise.all(
        ['slow-1', 'slow-2'].map((name) => member(name).describe()),
      );
      expect(Number(before?.closeTime)).toBeLessThanOrEqual(Number(after?.startTime));
      await member('slow-2').signal(goOnSignal);
      expect(await second.result()).toMatchObject({ counts: { proven: 2 } });
    });
  });

  it('nothing starts in the region while no one can say what others change there', async () => {
    await lab.withWorker(async () => {
      const groups = [`region=${lab.named('unlisted')}`];
      const rows = [{ name: 'slow-u', groups }, { name: 'free-u' }];
      lab.index.answers = false;
      const handle = await lab.start({ name: 'unlisted', rows, policy: ONE, changes: SOON });
      await untilPhases(handle, areAll('waiting', 'proven'));
      await eventually(
        async () => (await handle.describe()).raw.pendingActivities?.map(({ attempt }) => attempt),
        (attempts) => attempts?.some((attempt) => Number(attempt) > 1) === true,
      );
      expect(await untilWaits(handle, 'others')).toMatchObject({ kind: 'others' });
      lab.index.answers = true;
      await untilPhases(handle, areAll('active', 'proven'));
      await untilOpen(lab, 'slow-u');
      await member('slow-u').signal(goOnSignal);
      expect(await handle.result()).toMatchObject({ counts: { proven: 2 } });
    });
  });

  it('a fleet that continues as new again and again counts none of its own runs as those of others', async () => {
    await lab.withWorker(async () => {
      const groups = [`region=${lab.named('long')}`];
      const rows = Array.from({ length: 6 }, (_, index) => ({ name: `cap-${index}`, groups }));
      const changes = { ...SOON, continueAfterEvents: 30 };
      const handle = await lab.start({ name: 'caps-long', rows, policy: ONE, changes });
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 6 } });
      expect((await chainOf(lab, handle)).length).toBeGreaterThan(2);
      const { otherRuns } = await stateOf(handle);
      expect(otherRuns).toMatchObject({ kind: 'counted', counts: {} });
    });
  });

  it('a fleet without caps asks nothing, and one with caps asks nothing while it is paused', async () => {
    await lab.withWorker(async () => {
      const groups = [`region=${lab.named('quiet')}`];
      const free = await lab.start({ name: 'no-caps', rows: [{ name: 'free', groups }] });
      await free.result();
      expect(await countsOf(free)).toBe(0);
      const rows = [
        { name: 'slow-q', groups },
        { name: 'after-q', groups },
      ];
      const paused = await lab.start({
        ...{ name: 'quiet', rows, policy: ONE },
        changes: { othersAfterMs: 50 },
      });
      await untilPhases(paused, areAll('active', 'waiting'));
      await untilOpen(lab, 'slow-q');
      await order(paused, { verb: 'pause' });
      const idle = await eventually(
        async () => {
          const { raw } = await paused.describe();
          return (raw.pendingActivities ?? []).length === 0 ? await countsOf(paused) : null;
        },
        (counts) => counts !== null,
      );
      // Other events come meanwhile; none of them makes it ask.
      for (let asked = 0; asked < 5; asked += 1) await order(paused, { verb: 'open' });
      expect(await countsOf(paused)).toBe(idle);
      await order(paused, { verb: 'resume' });
      await member('slow-q').signal(goOnSignal);
      expect(await paused.result()).toMatchObject({ counts: { proven: 2 } });
    });
  });
});
