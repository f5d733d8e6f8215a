import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openWork } from '../../cli/fleets/open-work.js';
import { goOnSignal } from './support/fleet-member.js';
import {
  type FleetHandle,
  type FleetLab,
  memberId,
  openFleetLab,
  order,
  untilOpen,
  untilPhases,
} from './support/fleet-lab.js';
import { eventually } from './support/migration-run.js';

let lab: FleetLab;
beforeAll(async () => {
  lab = await openFleetLab();
});
afterAll(() => lab.close());

/** Waits until a freeze of everything would tell just these; other suites share the server. */
async function untilTold(...wanted: readonly string[]): Promise<void> {
  const { client } = lab.environment;
  const ours = async (): Promise<readonly string[]> => {
    const open = (await openWork(client)).map(({ workflowId }) => workflowId);
    return open.filter((id) => id.endsWith(lab.named('')));
  };
  const shown = await eventually(ours, (each) => isDeepStrictEqual(each, wanted));
  expect(shown).toEqual(wanted);
}

const isMoving = ([phase]: readonly string[]): boolean => phase === 'active';

async function startLed(): Promise<FleetHandle> {
  const changes = { continueAfterEvents: 30 };
  const rows = [{ name: 'slow-a' }];
  const handle = await lab.start({ name: 'led', rows, changes });
  await untilPhases(handle, isMoving);
  await untilOpen(lab, 'slow-a');
  return handle;
}

async function executions({ workflowId }: FleetHandle): Promise<number> {
  const { raw, runId } = await lab.environment.client.workflow.getHandle(workflowId).describe();
  return raw.workflowExecutionInfo?.firstRunId === runId ? 1 : 2;
}

it('a run is told by the fleet that started it while that is open, and by no later one of its name', async () => {
  await lab.withWorker(async () => {
    const handle = await startLed();
    const { workflowId } = handle;
    const run = memberId(lab, 'slow-a');
    const { client } = lab.environment;
    const { count } = await eventually(
      () => client.workflow.count(`ExecutionStatus='Running' AND WorkflowId='${run}'`),
      (found) => found.count === 1,
    );
    expect(count).toBe(1);
    while ((await executions(handle)) === 1) await order(handle, { verb: 'open' });
    await untilTold(workflowId);

    await client.workflow.getHandle(workflowId).terminate();
    await untilTold(run);

    const later = await lab.start({ name: 'led', rows: [{ name: 'slow-a' }] });
    await untilTold(workflowId, run);

    await client.workflow.getHandle(run).signal(goOnSignal);
    await order(later, { verb: 'stop' });
    await later.result();
  });
});
