import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  migrate,
  openOneCluster,
  patientPolicy,
  STORY_MS,
  succeeds,
  type OneCluster,
} from './one-cluster.js';

const PHASES = `  rollWorkers: { enabled: true, batchSize: 1 }
  disableLeaderMigration: afterSoak
`;
const LOCK = 'cloud-provider-extraction-migration';
const NAMESPACE = 'kube-system';
const WHY = ['--reason', 'CHG-2', '-y'] as const;

let environment: OneCluster;
beforeAll(async () => {
  environment = await openOneCluster({
    speed: 20,
    spec: { nodes: 1, workers: 2 },
    policy: (text) => patientPolicy(text, PHASES),
  });
  await environment.startDev();
});
afterAll(() => environment.close(), 60_000);

/** Names of the steps of the run that `describe` shows, in order. */
async function stepsAndWayBack(): Promise<{ names: readonly string[]; wayBack: string }> {
  const { stdout } = await succeeds(environment, 'describe', 'sim-1', '-o', 'json');
  const { status, outcome } = JSON.parse(stdout) as {
    status: { stepsDone: readonly { name: string }[] };
    outcome: { reversibility: string };
  };
  return { names: status.stepsDone.map(({ name }) => name), wayBack: outcome.reversibility };
}

function isThere(resource: string, name: string): boolean {
  return environment.cluster.store.get({ resource, namespace: NAMESPACE, name }).ok;
}

/** Arguments of the running managers, from their own processes. */
function words(manager: 'kcm' | 'ccm'): string {
  return environment.cluster
    .nodes()
    .flatMap((node) => node.host().processes)
    .filter((process) => process.manager === manager)
    .map((process) => process.arguments.join(' '))
    .join('\n');
}

describe('with workers rolled and Leader Migration switched off after the soak', () => {
  it(
    'the lock is removed in the end, and rollback begins by restoring it',
    async () => {
      await migrate(environment, ...WHY);
      const there = await stepsAndWayBack();
      expect(there.names.slice(-5)).toEqual([
        'rollWorkers',
        'verify',
        'disableLeaderMigration',
        'revokeLeaseAccess',
        'revokeLeaseAccess',
      ]);
      expect(there.wayBack).toMatch(
        /^possible, once Leader Migration and its Lease access are in place; first: /,
      );
      expect(words('ccm')).not.toContain('--enable-leader-migration');
      expect(isThere('leases', LOCK)).toBe(false);
      expect(isThere('roles', 'ccm-migrate-leader-migration')).toBe(false);

      await succeeds(environment, 'rollback', 'sim-1', ...WHY);
      await succeeds(environment, 'status', 'sim-1', '--until', 'rolledBack');
      const back = await stepsAndWayBack();
      expect(back.names.slice(0, 2)).toEqual(['grantLeaseAccess', 'protectCcm']);
      expect(back.names).toContain('rollWorkers');
      expect(words('ccm')).toBe('');
      expect(environment.cluster.truth().controllers.service.overlapSeconds).toBe(0);
    },
    STORY_MS,
  );
});
