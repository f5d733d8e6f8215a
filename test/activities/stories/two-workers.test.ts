import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ClusterActivities } from '../../../activities/contract.js';
import { quietScope } from '../../../activities/dependencies.js';
import { createActivities } from '../../../activities/index.js';
import type { KubernetesApi } from '../../../activities/ports.js';
import { unpackObservation } from '../../../domain/observation/packed-observation.js';
import { NO_JUDGEMENTS, planned } from '../../support/planned.js';
import { openEnvironment, type Environment, type EnvironmentOptions } from '../environment.js';
import { type RunByHand, runByHand } from '../run-by-hand.js';

jest.setTimeout(120_000);

const GRANT = { kind: 'setAccess', access: 'leaseGrant', want: 'present' } as const;
const RECORD = { kind: 'recordBaseline' } as const;

/** The workers of one region share its runs: Temporal sends each activity to any of them. */
describe('a run on several workers', () => {
  let environment: Environment;
  afterEach(() => environment.close());

  async function opened(options: EnvironmentOptions = {}): Promise<void> {
    environment = await openEnvironment({ spec: { nodes: 1 }, ...options });
  }

  const worker = (): ClusterActivities => createActivities(environment.dependencies);

  function runOn(activities: ClusterActivities): RunByHand {
    const { context, ccmManifest } = environment;
    return runByHand({ activities, context, ccmManifest });
  }

  /** Each step on the next one. */
  function inTurn(...workers: readonly ClusterActivities[]): ClusterActivities {
    let count = 0;
    const next = (): ClusterActivities => workers[count++ % workers.length] ?? worker();
    return { ...worker(), executeStep: (input) => next().executeStep(input) };
  }

  it.each([2, 3])('%i workers that take turns migrate, and migrate back', async (count) => {
    await opened();
    const run = runOn(inTurn(...Array.from({ length: count }, worker)));
    expect((await run.migrate('ccm')).at(-1)).toBe('externalizeKcm');
    expect(await run.migrate('kcm')).toContain('stopCcm');
  });

  it('a worker does not believe what it read before another one wrote', async () => {
    await opened();
    const [first, second] = [worker(), worker()];
    const run = runOn(inTurn(first, second, first));
    await run.fence();
    await run.take(RECORD);
    await run.take(GRANT);
    const { observation } = await run.take({ kind: 'awaitElection', until: 'kcmMainLeader' });
    expect(observation.access.leaseGrant).toBe('present');
  });

  it('a second attempt does not believe what its worker read before the first one wrote elsewhere', async () => {
    await opened();
    const run = runOn(worker());
    await run.fence();
    await run.take(RECORD);
    const { context, ccmManifest, dependencies } = environment;
    const base = { ...context, epoch: 1, decide: NO_JUDGEMENTS, materials: { ccmManifest } };
    const scope = () => ({ ...quietScope(), isRetry: true });
    const retried = createActivities({ ...dependencies, scope });
    const { firstSeen, observationId } = await retried.observeCluster({ ...base, firstSeen: [] });
    // Of the first attempt no report came back, so the run still names the observation before it.
    await run.take(GRANT);
    const awaiting = planned({
      ...{ name: 'awaitElection', phase: 'replaceNodes', why: 'test', cures: [] },
      effect: { kind: 'awaitElection', until: 'kcmMainLeader' },
    });
    const report = await retried.executeStep({
      ...{ ...base, firstSeen, observationId, planned: awaiting },
    });
    expect(unpackObservation(report.observation).access.leaseGrant).toBe('present');
  });

  it('a right that is granted while a step awaits an election counts', async () => {
    const denied = { all: false };
    await opened({ wrap: (ports) => ({ ...ports, api: denying(ports.api, denied) }) });
    await environment.fence();
    await environment.take(RECORD);
    await environment.take(GRANT);
    await environment.take({
      ...{ kind: 'changeManager', node: 'cp-1', release: 'mainThenMigration' },
      want: { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
    });
    denied.all = true;
    const { observation } = await environment.snapshot();
    expect(observation.access.mayUseMigrationLease.kcm).toBe('no');
    denied.all = false;
    const { summary } = await environment.take({ kind: 'awaitElection', until: 'kcmStandsBy' });
    expect(summary.detail).toBe('election reached: kcmStandsBy');
  });
});

/** Answers every SubjectAccessReview with no, while `all` is set. */
function denying(api: KubernetesApi, denied: { readonly all: boolean }): KubernetesApi {
  return {
    ...api,
    create: async (object, options) =>
      denied.all && object.kind === 'SubjectAccessReview'
        ? { ...object, status: { allowed: false } }
        : api.create(object, options),
  };
}
