import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { watchRuns } from '../../cli/server/events/watch-runs.js';
import type { OutgoingEvent } from '../../domain/automation/run-events.js';
import { modelCluster } from './support/model-cluster.js';
import {
  eventually,
  openLab,
  say,
  tell,
  type MigrationHandle,
  type MigrationLab,
} from './support/migration-run.js';
import { runInStep } from './support/hook-lab.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

const AN_HOUR_MS = 3_600_000;

/** What a server that has just started reads of one run, once it is what was waited for. */
async function readOf(
  { workflowId }: MigrationHandle,
  kinds: readonly OutgoingEvent['kind'][],
): Promise<readonly OutgoingEvent[]> {
  const read = async (): Promise<readonly OutgoingEvent[]> => {
    const watch = watchRuns(onlyOf(workflowId), new AbortController().signal);
    const all = await watch.read(Date.now() - AN_HOUR_MS);
    return all.filter(({ run }) => run.workflowId === workflowId);
  };
  return eventually(read, (own) => own.map(({ kind }) => kind).join() === kinds.join());
}

/** Runs of other tests are on the same server, and many of them have no worker, which a reading waits for. */
function onlyOf(workflowId: string): Client {
  const { client } = lab.environment;
  const own = new Client(client.options);
  const list = own.workflow.list.bind(own.workflow);
  own.workflow.list = (options) =>
    list({ ...options, query: `${options?.query ?? ''} AND WorkflowId='${workflowId}'` });
  return own;
}

describe('events of runs', () => {
  it('a pause and an end are read with ids that another server gives them too', async () => {
    await lab.withWorker(async () => {
      const { handle, release } = await runInStep(lab, 'e-paused');
      await tell(handle, 'pause');
      release();
      const paused = await readOf(handle, ['began', 'paused']);
      expect(await readOf(handle, ['began', 'paused'])).toEqual(paused);
      expect(paused[0]?.run).toMatchObject({
        cluster: 'e-paused',
        runId: handle.firstExecutionRunId,
      });
      expect(paused[1]?.what).toMatchObject({ byAutomation: false });
      await say(handle, 'resume');
      await handle.result();
      const over = await readOf(handle, ['began', 'ended']);
      expect(over[0]).toEqual(paused[0]);
      expect(over[1]?.what).toEqual({ execution: 'completed', outcome: 'done' });
    });
  }, 60_000);

  it('a run that turned and ended while there was no server says both afterwards', async () => {
    await lab.withWorker(async () => {
      const { handle, release } = await runInStep(lab, 'e-turned');
      await tell(handle, 'rollBack');
      release();
      await handle.result();
      const [, turned] = await readOf(handle, ['began', 'turned', 'ended']);
      expect(turned?.what).toMatchObject({ target: 'kcm', byAutomation: false });
    });
  }, 60_000);

  it('without a worker a run still says that it began, and that it was terminated', async () => {
    const handle = await lab.start(modelCluster('e-unserved'));
    await readOf(handle, ['began']);
    await handle.terminate();
    const [, end] = await readOf(handle, ['began', 'ended']);
    expect(end?.what).toEqual({ execution: 'terminated', outcome: null });
  }, 60_000);
});
