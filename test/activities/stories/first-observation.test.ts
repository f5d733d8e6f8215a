import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { USER_AGENTS } from '../../../config/names.js';
import { UNPLANNED } from '../../../domain/run/unplanned.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';
import { TIMINGS } from '../run-context.js';

jest.setTimeout(120_000);

/** Requests of which every full observation makes at least one. */
const SLOW = [
  'services',
  'persistentvolumes',
  'daemonsets',
  'clusterroles',
  'subjectaccessreviews',
];

describe('the first observation of a run', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({ spec: { nodes: 1 } });
  });
  afterEach(() => environment.close());

  const checked = async (): Promise<void> => {
    const { activities, context, ccmManifest } = environment;
    await activities.checkStart({
      ...{ ...context, timings: TIMINGS, planDigest: UNPLANNED, materials: { ccmManifest } },
      ...{ epoch: 0, decide: NO_JUDGEMENTS, firstSeen: [], early: false },
    });
  };
  const asked = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = (await environment.journal()).length;
    await work();
    const made = (await environment.journal()).slice(before);
    return made
      .filter(({ userAgent }) => userAgent === USER_AGENTS.steps)
      .map(({ resource }) => resource);
  };
  const otherRun = { runId: 'run-2', workflowId: 'another' };
  const withdrawn = async (epoch: number): Promise<void> => {
    const { activities, context } = environment;
    await activities.closeRun({ ...context, ...otherRun, epoch, outcome: 'stopped' });
  };

  it('right after its check it takes over what that read, and re-reads Nodes, pods, hosts and Leases', async () => {
    await checked();
    await environment.fence();
    let loadBalancers = 0;
    const resources = await asked(async () => {
      const { observation } = await environment.snapshot();
      loadBalancers = observation.inventory.services.loadBalancers;
    });
    expect(resources.filter((each) => SLOW.includes(each))).toEqual([]);
    const live = ['nodes', 'pods', 'leases', 'node-access/snapshot'];
    expect(resources).toEqual(expect.arrayContaining(live));
    expect(loadBalancers).toBe(2);
  });

  it('a second one reads everything itself, as each does without a check', async () => {
    await checked();
    await environment.fence();
    await environment.snapshot();
    expect(await asked(() => environment.snapshot())).toEqual(expect.arrayContaining(SLOW));
  });

  it('it reads everything where another run held the fence after the check, though it has ended', async () => {
    await checked();
    await environment.fence('other', otherRun);
    await withdrawn(1);
    await environment.fence();
    expect(await asked(() => environment.snapshot())).toEqual(expect.arrayContaining(SLOW));
  });

  it('it reads everything where another run held the fence during the check', async () => {
    await environment.fence('other', otherRun);
    await checked();
    await environment.fence('own', { takeOver: { reason: 'it is gone' } });
    expect(await asked(() => environment.snapshot())).toEqual(expect.arrayContaining(SLOW));
  });

  it('it reads everything where the check is older than a minute', async () => {
    await checked();
    await environment.fence();
    await environment.clock.sleep(61_000);
    expect(await asked(() => environment.snapshot())).toEqual(expect.arrayContaining(SLOW));
  });
});
