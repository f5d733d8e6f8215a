import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Fleet } from '../../../../config/fleet.js';
import type { Manager, Target } from '../../../../domain/vocabulary.js';
import { MIGRATION } from '../../simulator/environment.js';
import { overlapComplaints } from '../../../support/run-complaints.js';
import { describeInLab } from '../wanted.js';
import { judgeLabDirection } from './judge-lab-direction.js';
import { driveLabDirection, told, type LabDirection } from './lab-direction.js';
import { LabRuns } from './lab-runs.js';

jest.setTimeout(20 * 60_000);

const GRANT =
  '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/ccm-migrate-leader-migration';
const FENCE_WORK: readonly string[] = ['takeFence', 'closeRun'];
const LEADER_MIGRATION = '--enable-leader-migration=true';

/** One real control-plane node in place, and the kubelet of a worker: three would take twice as long. */
describeInLab('a run rolls workers and switches Leader Migration off after the soak', () => {
  let environment: LabRuns;
  beforeAll(async () => {
    environment = await LabRuns.open({ nodes: 1, workers: 1, change: withOptionalPhases });
  });
  afterAll(() => environment.close());

  it('the lock is removed in the end, and the worker has an external cloud provider', async () => {
    const steps = stepsOf(await migrated('ccm'));
    expect(steps).toContain('rollWorkers');
    expect(steps.slice(-2)).toEqual(['disableLeaderMigration', 'revokeLeaseAccess']);
    expect(await environment.lease(MIGRATION)).toBeNull();
    expect(await grantStatus()).toBe(404);
    expect(wordsOf('ccm').length).toBeGreaterThan(0);
    expect(wordsOf('ccm').filter((words) => words.includes(LEADER_MIGRATION))).toEqual([]);
    expect(await workers()).toMatchObject({ ready: 1, kubeletInTree: 0, kubeletExternal: 1 });
  });

  it('rollback begins by restoring the lock', async () => {
    const steps = stepsOf(await migrated('kcm'));
    expect(steps.slice(0, 2)).toEqual(['grantLeaseAccess', 'protectCcm']);
    expect(steps).toContain('rollWorkers');
    expect(wordsOf('ccm')).toEqual([]);
    expect(wordsOf('kcm').length).toBeGreaterThan(0);
    expect(wordsOf('kcm').filter((words) => !words.includes(LEADER_MIGRATION))).toEqual([]);
    expect(await workers()).toMatchObject({ ready: 1, kubeletInTree: 1, kubeletExternal: 0 });
  });

  /** One direction without a stop and without a violation. */
  async function migrated(target: Target): Promise<LabDirection> {
    const direction = await driveLabDirection(environment, {
      ...{ target, reason: 'optional phases', strikes: [] },
      answer: (hold) => Promise.reject(new Error(`it holds for ${told([hold])}`)),
    });
    const complaints = [
      ...(await judgeLabDirection(environment, direction)),
      ...overlapComplaints(direction.truth),
    ];
    expect(complaints).toEqual([]);
    return direction;
  }

  async function grantStatus(): Promise<number> {
    return (await environment.cluster.api.send('GET', GRANT)).status;
  }

  /** Arguments of each process of a manager, by `/proc`. */
  function wordsOf(manager: Manager): readonly string[] {
    return environment.cluster.nodes
      .flatMap(({ name }) => environment.pids(name, manager))
      .map((pid) => readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').replaceAll('\0', ' '));
  }

  async function workers(): Promise<unknown> {
    return (await environment.parts.snapshot()).inventory.workers;
  }
});

/** Names of the steps that changed something, in order; the run's own fence is no step. */
function stepsOf({ records }: LabDirection): readonly string[] {
  const names = records
    .flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent.step] : []))
    .filter((name) => !FENCE_WORK.includes(name));
  return names.filter((name, index) => name !== names[index - 1]);
}

function withOptionalPhases(fleet: Fleet): Fleet {
  return {
    ...fleet,
    policy: {
      ...fleet.policy,
      rollWorkers: { enabled: true, batchSize: 1 },
      disableLeaderMigration: 'afterSoak',
      soakSeconds: 1,
    },
  };
}
