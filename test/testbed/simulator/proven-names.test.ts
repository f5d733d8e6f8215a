import { describe, expect, it } from '@jest/globals';
import { genericConfigz } from '../../proven/generic-configz.js';
import { ccm, external, kcm, MAIN, MIGRATION, node, OWNED, Environment } from './environment.js';

/** What real binaries did (lab runs P1 to P11), reproduced by the simulator: names, locks, access. */
describe('proven on real binaries: names, locks and access', () => {
  it('P1 the official guide on 1.30 protects nothing: both managers run everything and call the cloud for the same Service', () => {
    const environment = new Environment({ preset: 'guide-130', nodes: 1 }).wait(10);
    const sinceMs = environment.clock.nowMs();
    environment.addService('web');
    environment.wait(1);
    expect(OWNED.map((each) => environment.ownedBy(each))).toEqual([
      'ccm+kcm',
      'ccm+kcm',
      'ccm+kcm',
    ]);
    const [first, second] = environment.calls('EnsureLoadBalancer', sinceMs);
    expect([first?.manager, second?.manager].sort()).toEqual(['ccm', 'kcm']);
    expect(Math.abs((first?.atMs ?? 0) - (second?.atMs ?? 0))).toBeLessThan(50);
    for (const manager of ['kcm', 'ccm'] as const) {
      expect(environment.running('cp-1', manager)).toEqual(expect.arrayContaining([...OWNED]));
    }
  });

  it('P1 the official guide on 1.30 protects nothing: both managers run everything and call the cloud for the same Service: loops start even while the migration Lease cannot be read', () => {
    const environment = new Environment({
      plans: [node(kcm({ migration: 'guide' }))],
      leaseGrant: false,
    }).wait(10);
    expect(environment.lease(MIGRATION)?.['spec']).toBeUndefined();
    expect(OWNED.map((each) => environment.ownedBy(each))).toEqual(['kcm', 'kcm', 'kcm']);
  });

  it('P2 Leader Migration without a file runs service and routes twice on 1.30', () => {
    const plan = node(kcm({ migration: 'builtIn' }), ccm({ migration: 'builtIn' }), {
      afterMs: { ccm: 8000 },
    });
    const environment = new Environment({ plans: [plan] }).wait(30);
    expect(OWNED.map((each) => environment.ownedBy(each))).toEqual(['ccm+kcm', 'ccm+kcm', 'kcm']);
    const names = ['route-controller', 'service-controller', 'cloud-node-lifecycle-controller'];
    for (const name of names)
      expect(environment.cluster.node('cp-1')?.configz('kcm')).toContain(`"${name}"`);
  });

  it('F4 /configz shows the Leader Migration that is in force, with its names', () => {
    const plan = node(kcm({ migration: 'canonical' }), ccm(), { afterMs: { ccm: 8000 } });
    const environment = new Environment({ plans: [plan] }).wait(30);
    for (const manager of ['kcm', 'ccm'] as const) {
      const body: unknown = JSON.parse(
        environment.cluster.node('cp-1')?.configz(manager) ?? 'null',
      );
      expect(Object.values(body as object)).toMatchObject([
        { Generic: genericConfigz(manager, '2s') },
      ]);
    }
  });

  it('P3 canonical names protect: one side runs all three, the other cloud-node alone; then the reverse', () => {
    const plan = node(kcm({ migration: 'canonical' }), ccm(), { afterMs: { ccm: 8000 } });
    const environment = new Environment({ plans: [plan] }).wait(30);
    expect(environment.running('cp-1', 'kcm')).toEqual([
      'cloud-node-lifecycle',
      'nodeipam',
      'route',
      'service',
    ]);
    expect(environment.running('cp-1', 'ccm')).toEqual(['cloud-node']);
    environment.removeStale('cp-1', 'kcm');
    environment.wait(40);
    expect(environment.running('cp-1', 'ccm')).toEqual([
      'cloud-node',
      'cloud-node-lifecycle',
      'route',
      'service',
    ]);
    expect(environment.overlap()).toBe(0);
    expect(environment.cluster.truth().controllers.service.moves).toBe(1);
  });

  it('P4 an unquoted * makes the process exit on every start', () => {
    const environment = new Environment({ plans: [node(kcm({ migration: 'unquoted' }))] }).wait(60);
    const [status] = (
      environment.mirror('cp-1', 'kcm')?.['status'] as { containerStatuses: unknown[] }
    ).containerStatuses;
    expect(status).toMatchObject({
      restartCount: 3,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1 } },
    });
    expect(environment.holder(MAIN.kcm)).toBe('');
  });

  it('P5 without the grant a KCM keeps its main lock and runs no cloud controller, yet healthz reports ok', () => {
    const environment = new Environment({
      plans: [node(kcm({ migration: 'canonical' }))],
      leaseGrant: false,
    }).wait(60);
    expect(environment.leader(MAIN.kcm)).toBe('cp-1');
    expect(environment.running('cp-1', 'kcm')).toEqual(['nodeipam']);
    expect(environment.metrics('cp-1', 'kcm')).toContain(
      `leader_election_master_status{name="${MIGRATION}"} 0`,
    );
    expect(environment.intervals()).toEqual([]);
  });

  it('P6 the guide’s patch of the Role is enough for a KCM and replaces its rules; for a CCM there is no such Role', () => {
    const environment = new Environment({
      plans: [node(kcm({ migration: 'canonical' }))],
      leaseGrant: false,
    }).wait(20);
    const ref = { resource: 'roles', namespace: 'kube-system' };
    const role = environment.cluster.store.get({
      ...ref,
      name: 'system::leader-locking-kube-controller-manager',
    });
    if (!role.ok) throw new Error(role.message);
    const rule = {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['create', 'list', 'get', 'update'],
    };
    environment.cluster.store.update('roles', {
      ...role.object,
      rules: [{ ...rule, resourceNames: [MIGRATION] }],
    });
    environment.until('all three run', () => environment.owners('route').length === 1, 10);
    const other = environment.cluster.store.get({
      ...ref,
      name: 'system::leader-locking-cloud-controller-manager',
    });
    expect(other).toMatchObject({ ok: false, code: 404 });
  });

  it('P7 external KCMs with Leader Migration left on hold the migration lock and run no cloud controller', () => {
    const environment = new Environment({ preset: 'external-kcm-with-lm' }).wait(30);
    environment.addService('web');
    environment.wait(120);
    expect(environment.holder(MIGRATION)).toBe(environment.holder(MAIN.kcm));
    expect(environment.holder(MAIN.ccm)).not.toBe('');
    expect(environment.intervals()).toEqual([]);
    expect(environment.ingress('web')).toBe('');
  });

  it('P8 the identity is hostname_uuid and the same on both locks', () => {
    const plans = [node(kcm({ migration: 'canonical' })), node(kcm({ migration: 'canonical' }))];
    const environment = new Environment({ plans, hostnames: 'different' }).wait(10);
    expect(environment.holder(MAIN.kcm)).toMatch(
      /^ip-cp-[12]\.internal_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{18,}$/,
    );
    expect(environment.holder(MIGRATION)).toBe(environment.holder(MAIN.kcm));
  });

  it('P9 a CCM that comes before the KCM has retried takes the migration Lease', () => {
    const plan = node(kcm({ migration: 'canonical' }), ccm(), { afterMs: { ccm: 8000 } });
    const environment = new Environment({ plans: [plan], leaseGrant: false }).wait(20);
    expect(environment.holder(MIGRATION)).toBe(environment.holder(MAIN.ccm));
    expect(environment.ownedBy()).toBe('ccm');
  });

  it('P10 a deleted Service with a load balancer keeps its finalizer while no process runs the service controller', () => {
    const environment = new Environment({
      plans: [node(kcm())],
      loadBalancers: 1,
      ccmAccess: true,
    }).wait(10);
    environment.removeStale('cp-1', 'kcm');
    environment.wait(5);
    environment.cluster.store.delete({ resource: 'services', namespace: 'default', name: 'web-1' });
    environment.wait(60);
    expect(environment.service('web-1')?.metadata.deletionTimestamp).toBeDefined();
    environment.put('cp-1', 'ccm', ccm({ migration: 'off' }));
    environment.until('the Service is gone', () => environment.service('web-1') === undefined, 20);
    expect(environment.calls('EnsureLoadBalancerDeleted')).toHaveLength(1);
  });

  it('P11 KCMs 1.29.15 hand over to external KCMs and CCMs 1.30.14 beside API servers 1.30.14', () => {
    const source = node(kcm({ version: '1.29.15', migration: 'canonical' }));
    const target = node(external(), ccm(), {
      kubelet: 'external',
      afterMs: { kcm: 8000, ccm: 8000 },
    });
    const environment = new Environment({
      plans: [source, target],
      apiServerVersion: '1.30.14',
    }).wait(30);
    expect(environment.ownedBy()).toBe('kcm');
    environment.removeStale('cp-1', 'kcm');
    const seconds = environment.until('the CCM owns', () => environment.ownedBy() === 'ccm');
    expect(seconds).toBeGreaterThan(12);
    expect(seconds).toBeLessThan(25);
    expect(environment.overlap()).toBe(0);
    expect(environment.unexplained()).toBe(0);
  });
});
