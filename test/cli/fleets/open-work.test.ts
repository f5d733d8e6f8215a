import { describe, expect, it } from '@jest/globals';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { openWork } from '../../../cli/fleets/open-work.js';

const FLEET = 'fleet-migration/f';
const RUN = 'cluster-migration/c';
const MEMBER = { fleetWorkflowId: FLEET, fleetRun: 'first', row: 0, grant: 1 };

interface Described {
  readonly status?: 'RUNNING' | 'TERMINATED';
  readonly runId?: string;
  readonly firstRunId?: string;
}

/** A server that lists fleet f and a run that names it, and says this of the fleet; an error is its answer. */
function serverThat(says: Described | Error, member: object = MEMBER): Client {
  const runs = [
    { workflowId: FLEET, runId: 'listed', type: 'fleetMigration', memo: {} },
    { workflowId: RUN, runId: 'r', type: 'clusterMigration', memo: { member } },
  ];
  const listed = async function* () {
    for (const run of runs) yield { ...run, typedSearchAttributes: new Map() };
  };
  const describe = async () => {
    if (says instanceof Error) throw says;
    const { status = 'RUNNING', runId = 'listed', firstRunId = 'first' } = says;
    const raw = { workflowExecutionInfo: { firstRunId } };
    return { status: { name: status }, runId, raw };
  };
  return { workflow: { list: listed, getHandle: () => ({ describe }) } } as unknown as Client;
}

async function openOn(...given: Parameters<typeof serverThat>): Promise<readonly string[]> {
  return (await openWork(serverThat(...given))).map(({ workflowId }) => workflowId);
}

describe('a run that names a fleet', () => {
  it.each<[string, Described]>([
    ['is open', {}],
    ['continues as another execution', { runId: 'third' }],
    ['runs on a server that does not say its first run', { runId: 'first', firstRunId: '' }],
  ])('is led by it where it %s', async (_what, says) => {
    expect(await openOn(says)).toEqual([FLEET]);
  });

  it.each<[string, Described | Error]>([
    ['was started again by its name', { firstRunId: 'another' }],
    ['has ended since it was listed', { status: 'TERMINATED' }],
    ['is not known any more', new WorkflowNotFoundError('none', FLEET, undefined)],
    ['cannot be asked', new Error('no answer')],
  ])('is on its own where it %s', async (_what, says) => {
    expect(await openOn(says)).toEqual([FLEET, RUN]);
  });

  it('is on its own where it does not say of which run of the fleet it is', async () => {
    expect(await openOn({}, { fleetWorkflowId: FLEET })).toEqual([FLEET, RUN]);
  });
});
