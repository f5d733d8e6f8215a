import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import type { ReportKind } from '../../domain/fleet/fleet-events.js';
import { reportSignal } from '../../workflows/messages/fleet-messages.js';
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

let lab: FleetLab;
beforeAll(async () => {
  lab = await openFleetLab();
});
afterAll(() => lab.close());

const member = (name: string): WorkflowHandle =>
  lab.environment.client.workflow.getHandle(memberId(lab, name));

const PROVEN = {
  ...{ kind: 'ended', outcome: 'proven', changed: true, signature: '', asked: false },
  reversibility: 'yes',
} as const satisfies ReportKind;

/** As everyone can who may write to the namespace. */
async function forge(handle: FleetHandle, rows: readonly number[]): Promise<void> {
  const { fleetRun } = await stateOf(handle);
  for (const row of rows) {
    await handle.signal(reportSignal, { fleetRun, row, grant: 1, sequence: 50, what: PROVEN });
  }
}

/** The run is open long before the fleet hears that it is. */
function answerStartsAfter(ms: number): void {
  const { start } = lab.directory;
  Object.assign(lab.directory, {
    start: async (...given: Parameters<typeof start>) => {
      const answer = await start(...given);
      await later(ms);
      return answer;
    },
  });
}

async function closed(workflowId: string) {
  const run = await lab.directory.describe(workflowId);
  if (run.kind !== 'closed') throw new Error(`${workflowId} is ${run.kind}`);
  return run;
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('reports that no member sent', () => {
  it('prove no cluster and open no wave, whether its run is open or has not begun', async () => {
    await lab.withWorker(async () => {
      const handle = await lab.start({
        name: 'forged',
        waves: [{}, {}],
        rows: [{ name: 'slow-fa', canary: true }, { name: 'fb' }, { name: 'fc', wave: 1 }],
      });
      await untilOpen(lab, 'slow-fa');
      await untilPhases(handle, ([first]) => first === 'active');
      await forge(handle, [0, 1, 2]);
      await later(2_000);
      const { rows, waves } = await stateOf(handle);
      expect(rows.map(({ phase }) => phase)).toEqual(['active', 'waiting', 'waiting']);
      expect(waves.map(({ over, begunMs }) => [over, begunMs !== null])).toEqual([
        ...[[false, true]],
        ...[[false, false]],
      ]);
      await member('slow-fa').signal(goOnSignal);
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 3 } });
    });
  });

  it('of a start that a pause keeps back count for nothing, nor is its run missed', async () => {
    answerStartsAfter(2_000);
    await lab.withWorker(async () => {
      const handle = await lab.start({
        name: 'kept-back',
        waves: [{}, {}],
        rows: [{ name: 'slow-fd' }, { name: 'fe', wave: 1 }],
        changes: { sweepAfterMs: 500 },
      });
      await untilOpen(lab, 'slow-fd');
      // While the first start is under way the second one waits for its turn, and then for the end of the pause.
      await order(handle, { verb: 'open' }, { kind: 'wave', wave: 1 });
      await order(handle, { verb: 'pause' }, { kind: 'rows', rows: [1] });
      await forge(handle, [1]);
      await later(4_000);
      expect((await stateOf(handle)).rows.map(({ phase }) => phase)).toEqual(['active', 'waiting']);
      await order(handle, { verb: 'resume' }, { kind: 'rows', rows: [1] });
      await member('slow-fd').signal(goOnSignal);
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 2 } });
    });
  });
});

describe('a run that refused its input', () => {
  it('is told from one that was terminated, which left no outcome either', async () => {
    await lab.withWorker(async () => {
      const { directory } = lab;
      const refused = await lab.start({ name: 'misfit', rows: [{ name: 'fx', wave: 3 }] });
      await refused.result().catch(() => undefined);
      expect(await directory.describe(refused.workflowId)).toMatchObject({
        ...{ kind: 'closed', outcome: null, refusedInput: true },
      });
      const cut = await lab.start({ name: 'cut', rows: [{ name: 'mute-fy' }] });
      await cut.terminate();
      const { refusedInput = false, ...run } = await closed(cut.workflowId);
      expect([refusedInput, run.outcome]).toEqual([false, null]);
    });
  });
});

describe('a report that a member sends', () => {
  it('before the answer to its start counts when that has come', async () => {
    answerStartsAfter(3_000);
    await lab.withWorker(async () => {
      const handle = await lab.start({ name: 'early', rows: [{ name: 'ff' }] });
      await untilPhases(handle, ([only]) => only === 'proven');
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 1 } });
    });
  });
});
