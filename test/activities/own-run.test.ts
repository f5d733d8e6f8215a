import { describe, expect, it } from '@jest/globals';
import {
  type ActivityDependencies,
  type ActivityScope,
  quietScope,
  realClock,
} from '../../activities/dependencies.js';
import type { EvidenceStore } from '../../activities/evidence/evidence-store.js';
import { failure } from '../../activities/failures.js';
import { createFleetActivities } from '../../activities/fleet/fleet-activities.js';
import { createActivities, createGuardActivities } from '../../activities/index.js';
import { MemoryDirectory } from './fleet/memory-directory.js';
import { runContext } from './run-context.js';

type Asking = ActivityScope['askedBy'];
type Activities = Readonly<Record<string, (input: never) => Promise<unknown>>>;

const { workflowId, runId } = runContext();
const RUN = { workflowId, runId, firstRun: () => Promise.resolve(runId) };
const FLEET = { workflowId: 'fleet-migration/f', runId: 'run-1' };
/** The same chain, continued as another execution. */
const CONTINUED = { ...RUN, runId: 'a-later-execution' };
const REACHED = failure('Unavailable', 'something outside was asked');
const INPUT = {
  ...runContext(),
  command: { commandId: 'c', verb: 'retry', arguments: {}, actor: 'eve', reason: '', ticket: '' },
};

/** Every activity of a run: whatever one asks for outside fails. */
function ofRuns(askedBy: Asking): Activities {
  const touched = () => Promise.reject(REACHED);
  const dependencies: ActivityDependencies = {
    ...{ connect: touched, build: 'test', clock: realClock },
    evidence: new Proxy({} as EvidenceStore, { get: () => touched }),
    authority: { policy: touched, cluster: touched },
    log: { info: () => undefined, warn: () => undefined },
    scope: () => ({ ...quietScope(), ...(askedBy !== undefined && { askedBy }) }),
  };
  const all = { ...createActivities(dependencies), ...createGuardActivities(dependencies) };
  return all;
}

/** Every activity of a fleet, on a server that knows none. */
function ofFleets(askedBy: Asking): Activities {
  const directory = new MemoryDirectory();
  directory.fleetInput = () => Promise.reject(REACHED);
  const scope = () => ({ ...quietScope(), ...(askedBy !== undefined && { askedBy }) });
  return createFleetActivities({ directory, clock: realClock, scope }) as unknown as Activities;
}

const FLEET_INPUT = {
  ...{ fleetWorkflowId: FLEET.workflowId, fleetRun: FLEET.runId, execution: 'execution-1' },
};
const KINDS = [
  ['a run', ofRuns, INPUT, RUN],
  ['a fleet', ofFleets, FLEET_INPUT, { ...FLEET, firstRun: () => Promise.resolve(FLEET.runId) }],
] as const;

describe.each(KINDS)('each activity of %s', (_, open, input, own) => {
  const names = Object.keys(open(undefined));
  const done = (name: string, askedBy: Asking) => open(askedBy)[name]?.(input as never);

  it.each(names)('%s is done for the run that asks for it', async (name) => {
    const firstRun = () => Promise.reject(new Error('there is nothing to ask'));
    for (const askedBy of [undefined, { ...own, firstRun }]) {
      await expect(done(name, askedBy)).rejects.toMatchObject({ type: 'Unavailable' });
    }
  });

  it.each(names)('%s is done for a run that has continued as another', async (name) => {
    const askedBy = { ...own, runId: CONTINUED.runId };
    await expect(done(name, askedBy)).rejects.toMatchObject({ type: 'Unavailable' });
  });

  it.each(names)('%s is refused to whom it does not name, before anything', async (name) => {
    const other = { ...own, runId: 'r9', firstRun: () => Promise.resolve('r9') };
    for (const askedBy of [null, { ...own, workflowId: 'mine' }, other]) {
      await expect(done(name, askedBy)).rejects.toMatchObject({
        ...{ type: 'NotAuthorised', nonRetryable: true, details: [{ wrote: false }] },
        message: expect.stringContaining(`the run ${own.runId} of ${own.workflowId}, and `),
      });
    }
  });
});
