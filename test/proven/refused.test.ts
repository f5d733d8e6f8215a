import { afterEach, describe, expect, it } from '@jest/globals';
import { clusterOwner } from '../../domain/ownership/owners.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import { preflight, blocksRun } from '../../domain/preflight/preflight.js';
import { MIGRATION_FILES } from '../../testbed/simulator/cluster/migration-files.js';
import {
  openEnvironment,
  type Environment,
  type EnvironmentOptions,
} from '../activities/environment.js';
import {
  ccm,
  external,
  forbidMigrationLease,
  kcm,
  MAIN,
  MIGRATION,
  node,
} from '../testbed/simulator/environment.js';
import { decisionIn, ownersIn } from './views.js';

const NAMESPACE = 'kube-system';
const PROTECTED = node(kcm({ migration: 'canonical' }), ccm(), { afterMs: { ccm: 8000 } });
const RELEASES = { cures: ['CCM3001', 'CCM3002', 'CCM3008'] };

let open: Environment | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function staged(options: EnvironmentOptions): Promise<Environment> {
  open = await openEnvironment(options);
  return open;
}

function holderOf({ leases }: ClusterObservation, lease: string): string {
  return leases.find(({ name }) => name === lease)?.holder ?? '';
}

/** Edits the Leader Migration file that this project wrote, while the process that read it is running. */
function renameController(
  { cluster }: Environment,
  from: string,
  to: string,
  other?: string,
): void {
  const folder = '/etc/kubernetes/ccm-migrate';
  const files = cluster.node('cp-1')?.files;
  const name = files?.list(folder).find((each) => each.includes('leader-migration-')) ?? '';
  const path = other ?? `${folder}/${name}`;
  const text = files?.read(path)?.content ?? '';
  if (!text.includes(from)) throw new Error(`${path} does not name ${from}`);
  files?.write(path, text.replaceAll(from, to));
}

/** The rest of P1 to P22: what must be refused, or must come first, no matter who requests it. */
describe('on clusters as real binaries leave them, unsafe requests are refused or put in order', () => {
  it('P6 access is granted with a separate Role: the KCM’s Role keeps its rules, and the CCM gets one too', async () => {
    const environment = await staged({ spec: { plans: [PROTECTED], leaseGrant: false } });
    const ref = { resource: 'roles', namespace: NAMESPACE } as const;
    const bootstrap = { ...ref, name: 'system::leader-locking-kube-controller-manager' };
    const before = environment.cluster.store.get(bootstrap);
    await environment.fence();
    await environment.take({ kind: 'setAccess', access: 'leaseGrant', want: 'present' });
    expect(environment.cluster.store.get(bootstrap)).toEqual(before);
    const { observation } = await environment.snapshot();
    expect(observation.access.mayUseMigrationLease).toEqual({ kcm: 'yes', ccm: 'yes' });
  });

  it('P9 the first CCM starts only after the leading KCM holds the migration Lease', async () => {
    const environment = await staged({ spec: { nodes: 1 } });
    const holders: string[] = [];
    await environment.migrate('ccm', ({ name }, before) => {
      if (name === 'startCcm')
        holders.push(holderOf(before, MIGRATION), holderOf(before, MAIN.kcm));
    });
    expect(holders[0]).not.toBe('');
    expect(holders[0]).toBe(holders[1]);
  });

  it('P10 the new owner finalizes a Service that was deleted while no manager owned it', async () => {
    const environment = await staged({ spec: { nodes: 1 }, policy: { strategy: 'gap' } });
    const web = { resource: 'services', namespace: 'default', name: 'web-1' } as const;
    let waited = false;
    await environment.migrate('ccm', ({ name }, _before, after) => {
      if (name !== 'externalizeKcm') return;
      environment.cluster.store.delete(web);
      waited =
        environment.cluster.store.get(web).ok && after.inventory.services.loadBalancers === 2;
    });
    expect(waited).toBe(true);
    await environment.clock.sleep(10_000);
    expect(environment.cluster.store.get(web).ok).toBe(false);
  });

  it('P12 a changed manifest is removed before the new one is written: the successor runs in under 5 s', async () => {
    const environment = await staged({ spec: { nodes: 1 } });
    await environment.fence();
    await environment.take({ kind: 'setAccess', access: 'leaseGrant', want: 'present' });
    const beganMs = environment.clock.nowMs();
    await environment.take({
      kind: 'changeManager',
      node: 'cp-1',
      want: { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
      release: 'mainThenMigration',
    });
    expect(environment.clock.nowMs() - beganMs).toBeLessThan(5000);
  });

  it.each(['ccm', 'kcm'] as const)(
    'P13 no step is taken toward %s while the holder is paused',
    async (target) => {
      const environment = await staged({ spec: { plans: [PROTECTED] } });
      environment.cluster.pauseProcess('cp-1', 'kcm');
      await environment.clock.sleep(30_000);
      // By its Lease the CCM owns; the paused process would continue as a second owner.
      expect(ownersIn(environment)).toBe('ccm');
      const paused = await environment.snapshot();
      expect(decisionIn(environment, paused.observation, target)).toBe('CCM2010');
      environment.cluster.resumeProcess('cp-1', 'kcm');
      await environment.clock.sleep(30_000);
      const { observation } = await environment.snapshot();
      expect(decisionIn(environment, observation, target)).not.toBe('CCM2010');
    },
  );

  it('P14 the process that runs the controllers is the owner, even if the Lease names a dead holder', async () => {
    const environment = await staged({
      spec: {
        plans: [
          node(kcm({ migration: 'canonical' })),
          node(kcm(), null, { afterMs: { kcm: 8000 } }),
        ],
      },
    });
    environment.cluster.node('cp-1')?.files.remove(`/etc/kubernetes/manifests/${MAIN.kcm}.yaml`);
    await environment.clock.sleep(40_000);
    const { observation } = await environment.snapshot();
    expect(holderOf(observation, MIGRATION)).toMatch(/^cp-1_/);
    expect(holderOf(observation, MAIN.kcm)).toMatch(/^cp-2_/);
    expect(ownersIn(environment)).toBe('kcm');
    const lease = observation.leases.find(({ name }) => name === MIGRATION);
    expect(lease?.holderState).toBe('dead');
    expect(clusterOwner(observation, ['service', 'route'])).toBe('kcm');
    await environment.migrate('ccm');
    await environment.clock.sleep(2000);
    expect(ownersIn(environment)).toBe('ccm');
  });

  it('P15 P16 a live holder’s Lease is never emptied, even when its pod object is gone', async () => {
    const environment = await staged({ spec: { plans: [PROTECTED] } });
    const holder = holderOf((await environment.snapshot()).observation, MIGRATION);
    const pod = `${MAIN.kcm}-cp-1`;
    environment.cluster.store.delete({ resource: 'pods', namespace: NAMESPACE, name: pod });
    await environment.fence();
    const lease = { namespace: NAMESPACE, name: MIGRATION };
    await expect(
      environment.take({ kind: 'releaseLease', lease, holder }, RELEASES),
    ).rejects.toMatchObject({ type: 'NoProof' });
    expect(holderOf((await environment.snapshot()).observation, MIGRATION)).toBe(holder);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'P17 the migration Lease is released first: the CCM takes over, never a standby KCM (seed %i)',
    async (seed) => {
      const plans = [
        node(kcm({ migration: 'canonical' })),
        node(kcm({ migration: 'canonical' }), ccm(), { afterMs: { kcm: 8000, ccm: 8000 } }),
      ];
      const environment = await staged({ spec: { plans, seed } });
      await environment.migrate('ccm');
      const { moves, overlapSeconds } = environment.cluster.truth().controllers.service;
      expect({ moves, overlapSeconds }).toEqual({ moves: 1, overlapSeconds: 0 });
    },
  );

  it('P18 a CCM is granted the migration Lease before the KCM goes, since a forbidden CCM is no standby', async () => {
    const environment = await staged({ spec: { plans: [PROTECTED] } });
    forbidMigrationLease(environment.cluster);
    await environment.clock.sleep(30_000);
    const { observation } = await environment.snapshot();
    expect(observation.access.mayUseMigrationLease).toEqual({ kcm: 'yes', ccm: 'no' });
    const names: string[] = [];
    await environment.migrate('ccm', ({ name }) => {
      names.push(name);
    });
    expect(names).toEqual(['recordBaseline', 'grantLeaseAccess', 'prepareCcm', 'externalizeKcm']);
    await environment.clock.sleep(2000);
    expect(ownersIn(environment)).toBe('ccm');
  });

  it.each(['ccm', 'kcm'] as const)(
    'P19 the Lease is granted first when Leader Migration is on without it and nothing runs (target %s)',
    async (target) => {
      const environment = await staged({
        spec: { plans: [node(external(), ccm())], leaseGrant: false },
      });
      forbidMigrationLease(environment.cluster);
      environment.cluster.crashProcess('cp-1', 'ccm');
      await environment.clock.sleep(60_000);
      expect(ownersIn(environment)).toBe('');
      const { observation } = await environment.snapshot();
      expect(decisionIn(environment, observation, target)).toBe('grantLeaseAccess');
    },
  );

  it('P20 a file that changed under a running process is not trusted', async () => {
    const environment = await staged({ spec: { nodes: 1 } });
    const until = environment.migrate('ccm', ({ name }) => {
      if (name === 'enableLeaderMigration') throw new Error('far enough');
    });
    await expect(until).rejects.toThrow('far enough');
    renameController(environment, 'service-lb-controller', 'service');
    const { observation } = await environment.snapshot();
    const kinds = observation.nodes
      .flatMap(({ kcm: { processes } }) => processes)
      .map(({ config }) => config.leaderMigration.kind);
    expect(kinds).toEqual(['unreadable']);
    expect(decisionIn(environment, observation, 'ccm')).not.toBe('startCcm');
  });

  it('P20 a changed file is not trusted either when its name was chosen by the operator', async () => {
    const environment = await staged({
      spec: { plans: [node(kcm({ migration: 'canonical' }))] },
    });
    const kind = async (): Promise<string | undefined> => {
      const [first] = (await environment.snapshot()).observation.nodes;
      return first?.kcm.processes[0]?.config.leaderMigration.kind;
    };
    expect(await kind()).toBe('on');
    await environment.clock.sleep(1000);
    renameController(environment, 'service-lb-controller', 'service', MIGRATION_FILES.kcm);
    expect(await kind()).toBe('unreadable');
    const { observation } = await environment.snapshot();
    expect(decisionIn(environment, observation, 'ccm')).toBe('CCM2001');
  });

  it('P21 a run is refused without the token controller, since the KCM never tries the migration lock', async () => {
    const controllers = '*,-serviceaccount-token-controller';
    const environment = await staged({
      spec: { plans: [node(kcm({ migration: 'canonical', controllers }))] },
    });
    const { observation } = await environment.snapshot();
    const stopping = preflight(observation, environment.context.policy).filter(blocksRun);
    expect(stopping.map(({ code }) => code)).toEqual(['CCM1003']);
  });
});
