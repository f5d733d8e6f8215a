import { expect, it, jest } from '@jest/globals';
import { blocksRun, preflight } from '../../../../domain/preflight/preflight.js';
import { claim, type ClaimId } from '../../../proven/claims.js';
import { FOUND_CLUSTERS, foundCluster } from '../../../proven/found-clusters.js';
import { decisionIn } from '../../../proven/views.js';
import {
  ccm,
  external,
  kcm,
  MAIN,
  MIGRATION,
  node,
  OWNED,
  type Owned,
} from '../../simulator/environment.js';
import { describeInWholeLab } from '../wanted.js';
import { BOOTSTRAP_ROLE, forbidMigrationLease, ROLES } from './access.js';
import { onLab } from './on-lab.js';
import { expectSaid } from './product.js';
import { throughout, untilSo } from './until.js';

jest.setTimeout(900_000);

const ALL_BY = (owners: string): Record<Owned, string> => ({
  service: owners,
  route: owners,
  'cloud-node-lifecycle': owners,
});
const GUIDES_PATCH: readonly Rule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [MIGRATION],
    verbs: ['create', 'list', 'get', 'update'],
  },
];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What rules permit, one by one: the API server writes them in pieces. */
function grantsOf(rules: readonly Rule[]): readonly string[] {
  return rules.flatMap(({ apiGroups, resources, resourceNames = ['*'], verbs }) =>
    [apiGroups, resources, resourceNames, verbs].reduce<readonly string[]>(
      (all, words) => all.flatMap((one) => words.map((word) => `${one}/${word}`)),
      [''],
    ),
  );
}

/** On one node of 1.30.14, the claims on names, locks and access that `four-truths` does not show. */
describeInWholeLab('claims about names, locks and access are true on real binaries', () => {
  const lab = onLab({ nodes: 1, from: '1.30.14', to: '1.30.14' });

  async function rulesOfBootstrapRole(): Promise<readonly Rule[]> {
    const role = await lab.environment.cluster.api.must('GET', `${ROLES}/${BOOTSTRAP_ROLE}`);
    return (role as { rules: readonly Rule[] }).rules;
  }

  it('P1 the official guide on 1.30 protects nothing: both managers run everything and call the cloud for the same Service: loops start even while the migration Lease cannot be read', async () => {
    const row = foundCluster('P1', 'its names in a KCM alone');
    await lab.environment.lay(row.spec);
    await lab.environment.untilRefused('cp-1', 'kcm');
    await lab.environment.untilOwners(ALL_BY('kcm'));
    await expectSaid(lab.product, row);
  });

  it('P2 Leader Migration without a file runs service and routes twice on 1.30', async () => {
    const row = foundCluster('P2');
    await lab.environment.lay(row.spec);
    await lab.environment.untilOwnedBy('ccm kcm', 'service');
    await lab.environment.untilOwnedBy('ccm kcm', 'route');
    expect(await lab.environment.ownedBy('cloud-node-lifecycle')).toBe('kcm');
    const configz = await lab.environment.ask('cp-1', 'kcm', '/configz');
    for (const name of ['route', 'service', 'cloud-node-lifecycle'])
      expect(configz).toContain(`"${name}-controller"`);
    await expectSaid(lab.product, row);
  });

  it('P3 canonical names protect: one side runs all three, the other cloud-node alone; then the reverse', async () => {
    const row = foundCluster('P3');
    await lab.environment.lay(row.spec);
    await lab.environment.untilOwnedBy('kcm', 'cloud-node-lifecycle');
    const loops = ['cloud-node-lifecycle', 'route', 'service'];
    await lab.environment.untilRunning('cp-1', 'kcm', [...loops, 'nodeipam'].sort());
    await lab.environment.untilRunning('cp-1', 'ccm', ['cloud-node']);
    await expectSaid(lab.product, row);
    lab.environment.removeStale('cp-1', 'kcm');
    for (const controller of OWNED) await lab.environment.untilOwnedBy('ccm', controller);
    await lab.environment.untilRunning('cp-1', 'ccm', ['cloud-node', ...loops]);
  });

  it('P4 an unquoted * makes the process exit on every start', async () => {
    const row = foundCluster('P4');
    await lab.environment.lay(row.spec);
    await untilSo('it ended twice', async () => {
      const [status] =
        (await lab.environment.mirror('cp-1', 'kcm'))?.status?.containerStatuses ?? [];
      return status?.lastState?.terminated?.exitCode === 1 && status.restartCount >= 2;
    });
    expect(lab.environment.log('cp-1', 'kcm')).toContain(
      'did not find expected alphabetic or numeric character',
    );
    expect(await lab.environment.holder(MAIN.kcm)).toBe('');
    await expectSaid(lab.product, row);
  });

  it('P6 the guide’s patch of the Role is enough for a KCM and replaces its rules; for a CCM there is no such Role', async () => {
    const spec = { plans: [node(kcm({ migration: 'canonical' }))], leaseGrant: false };
    await lab.environment.lay(spec);
    const before = await rulesOfBootstrapRole();
    try {
      await lab.environment.cluster.api.mergePatch(`${ROLES}/${BOOTSTRAP_ROLE}`, {
        rules: GUIDES_PATCH,
      });
      for (const controller of OWNED) await lab.environment.untilOwnedBy('kcm', controller);
      expect(before.length).toBeGreaterThan(0);
      expect(await rulesOfBootstrapRole()).toEqual(GUIDES_PATCH);
      const others = BOOTSTRAP_ROLE.replace('kube-', 'cloud-');
      expect(await lab.environment.cluster.api.send('GET', `${ROLES}/${others}`)).toMatchObject({
        status: 404,
      });
    } finally {
      await lab.environment.cluster.api.mergePatch(`${ROLES}/${BOOTSTRAP_ROLE}`, { rules: before });
    }
    await lab.product.fence();
    await lab.product.take({ kind: 'setAccess', access: 'leaseGrant', want: 'present' });
    expect(await rulesOfBootstrapRole()).toEqual(before);
    const { access } = await lab.product.inspect();
    expect(access.mayUseMigrationLease).toEqual({ kcm: 'yes', ccm: 'yes' });
  });

  it('F6 a restarted API server adds the rules that its bootstrap Roles lack and leaves the rest', async () => {
    await lab.environment.lay({ plans: [node(kcm())] });
    const before = await rulesOfBootstrapRole();
    await lab.product.fence();
    await lab.product.take({ kind: 'setAccess', access: 'leaseGrant', want: 'present' });
    try {
      await lab.environment.cluster.api.mergePatch(`${ROLES}/${BOOTSTRAP_ROLE}`, {
        rules: GUIDES_PATCH,
      });
      await lab.environment.cluster.apiServer.kill();
      lab.environment.cluster.apiServer.restore();
      await untilSo('the Role has its own rules again', async () => {
        const seen = await rulesOfBootstrapRole().catch(() => []);
        return grantsOf(before).every((grant) => grantsOf(seen).includes(grant));
      });
      expect(grantsOf(await rulesOfBootstrapRole())).toEqual(
        expect.arrayContaining([...grantsOf(GUIDES_PATCH)]),
      );
      const { access } = await lab.product.inspect();
      expect(access.leaseGrant).toBe('present');
    } finally {
      await lab.environment.cluster.api.mergePatch(`${ROLES}/${BOOTSTRAP_ROLE}`, { rules: before });
    }
  });

  it('P7 external KCMs with Leader Migration left on hold the migration lock and run no cloud controller', async () => {
    const row = foundCluster('P7');
    await lab.environment.lay(row.spec);
    await untilSo('the CCM waits', async () => {
      return (await lab.environment.role('cp-1', 'ccm', MIGRATION)) === 'waiting';
    });
    await lab.environment.addService('web');
    expect(await lab.environment.holder(MIGRATION)).toBe(await lab.environment.holder(MAIN.kcm));
    await expectSaid(lab.product, row);
    expect(await lab.environment.ownersOfAll()).toEqual(ALL_BY(''));
    expect((await lab.environment.service('web'))?.status?.loadBalancer?.ingress).toBeUndefined();
    expect(await lab.environment.ask('cp-1', 'kcm', '/healthz')).toBe('ok');
  });

  it('P10 a deleted Service with a load balancer keeps its finalizer while no process runs the service controller', async () => {
    await lab.environment.lay({ plans: [node(kcm())] });
    await lab.environment.addService('web');
    await untilSo('the Service has its address', async () => {
      return (
        (await lab.environment.service('web'))?.status?.loadBalancer?.ingress?.[0] !== undefined
      );
    });
    lab.environment.removeStale('cp-1', 'kcm');
    await lab.environment.untilGone('cp-1', 'kcm');
    const since = lab.environment.lab.cloud.journal().length;
    await lab.environment.deleteService('web');
    await throughout('the Service waits', 5, async () => {
      return (await lab.environment.service('web'))?.metadata.deletionTimestamp !== undefined;
    });
    const { inventory } = await lab.product.inspect();
    expect(inventory.services).toMatchObject({ loadBalancers: 1, pending: 1 });
    lab.environment.put('cp-1', 'ccm', ccm({ migration: 'off' }));
    await untilSo(
      'the Service is gone',
      async () => (await lab.environment.service('web')) === null,
    );
    expect(lab.environment.calls('EnsureLoadBalancerDeleted', since)).toHaveLength(1);
  });

  it('P18 a CCM that is forbidden the migration Lease looks like one on standby', async () => {
    await lab.environment.lay({ plans: [node(kcm({ migration: 'canonical' }))] });
    await forbidMigrationLease(lab.environment.cluster);
    lab.environment.put('cp-1', 'ccm', ccm());
    await lab.environment.untilRefused('cp-1', 'ccm');
    expect(await lab.environment.role('cp-1', 'ccm', MIGRATION)).toBe('waiting');
    expect(await lab.environment.role('cp-1', 'ccm', MAIN.ccm)).toBe('held');
    expect(await lab.environment.ask('cp-1', 'ccm', '/healthz')).toBe('ok');
    const { access } = await lab.product.inspect();
    expect(access.mayUseMigrationLease).toEqual({ kcm: 'yes', ccm: 'no' });
    const names = await lab.product.migrate('ccm');
    expect(names).toEqual(['recordBaseline', 'grantLeaseAccess', 'prepareCcm', 'externalizeKcm']);
    await lab.environment.untilOwnedBy('ccm');
  });

  it('P19 with Leader Migration re-enabled but not granted, a KCM holds its main lock and runs nothing', async () => {
    const plans = [node(external(), ccm({ migration: 'off' }))];
    await lab.environment.lay({ plans, leaseGrant: false });
    await forbidMigrationLease(lab.environment.cluster);
    await lab.environment.untilOwnedBy('ccm');
    await lab.environment.exchange('cp-1', 'ccm', ccm());
    await lab.environment.untilRefused('cp-1', 'ccm');
    expect(await lab.environment.role('cp-1', 'ccm', MAIN.ccm)).toBe('held');
    await lab.environment.untilRunning('cp-1', 'ccm', ['cloud-node']);
    expect(await lab.environment.ask('cp-1', 'ccm', '/healthz')).toBe('ok');
    const observation = await lab.product.inspect();
    for (const target of ['ccm', 'kcm'] as const)
      expect(decisionIn(lab.product, observation, target)).toBe('grantLeaseAccess');
  });

  it('P21 without the token controller a KCM never tries the migration lock', async () => {
    const controllers = '*,-serviceaccount-token-controller';
    await lab.environment.lay({ plans: [node(kcm({ migration: 'canonical', controllers }))] });
    await throughout('the migration lock is not tried', 5, async () => {
      return (await lab.environment.lease(MIGRATION)) === null;
    });
    expect(await lab.environment.role('cp-1', 'kcm', MAIN.kcm)).toBe('held');
    expect(await lab.environment.role('cp-1', 'kcm', MIGRATION)).toBe('notTried');
    await lab.environment.untilRunning('cp-1', 'kcm', ['nodeipam']);
    expect(await lab.environment.ask('cp-1', 'kcm', '/healthz')).toBe('ok');
    const findings = preflight(await lab.product.inspect(), lab.product.context.policy);
    expect(findings.filter(blocksRun).map(({ code }) => code)).toEqual(['CCM1003']);
  });

  const repaired: readonly ClaimId[] = ['P1', 'P2', 'P3', 'P4', 'P5', 'P7', 'P9'];
  const rows = FOUND_CLUSTERS.filter((row) => repaired.includes(row.claim));
  it.each(rows.map((row) => ({ row, name: `${claim(row.claim)} ${row.about}` })))(
    'a migration repairs: $name',
    async ({ row }) => {
      await lab.environment.lay(row.spec);
      if (row.found !== '') await lab.environment.untilOwnedBy(row.found);
      await lab.product.migrate('ccm');
      for (const controller of OWNED) await lab.environment.untilOwnedBy('ccm', controller);
    },
  );
});
