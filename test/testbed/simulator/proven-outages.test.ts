import { describe, expect, it } from '@jest/globals';
import { MIGRATION_FILES } from '../../../testbed/simulator/cluster/migration-files.js';
import {
  ccm,
  external,
  forbidMigrationLease,
  kcm,
  MAIN,
  MIGRATION,
  node,
  Environment,
} from './environment.js';

const IN_TREE_WITH_CCM = node(kcm({ migration: 'canonical' }), ccm(), { afterMs: { ccm: 8000 } });

/** What real binaries did (lab runs P18 to P21), reproduced by the simulator: managers that report healthy and run nothing. */
describe('proven on real binaries: silent outages', () => {
  it('P18 a CCM that is forbidden the migration Lease looks like one on standby', () => {
    const environment = new Environment({ plans: [IN_TREE_WITH_CCM] });
    forbidMigrationLease(environment.cluster);
    environment.wait(20);
    expect(environment.metrics('cp-1', 'ccm')).toContain(
      `leader_election_master_status{name="${MIGRATION}"} 0`,
    );
    expect(environment.metrics('cp-1', 'ccm')).toContain(
      `leader_election_master_status{name="${MAIN.ccm}"} 1`,
    );
    environment.removeStale('cp-1', 'kcm');
    environment.wait(60);
    expect(environment.ownedBy()).toBe('');
  });

  it('P19 with Leader Migration re-enabled but not granted, a KCM holds its main lock and runs nothing', () => {
    const environment = new Environment({
      plans: [node(external(), ccm({ migration: 'off' }))],
      leaseGrant: false,
    });
    forbidMigrationLease(environment.cluster);
    environment.wait(20);
    expect(environment.ownedBy()).toBe('ccm');
    environment.put('cp-1', 'ccm', ccm());
    environment.wait(60);
    expect(environment.leader(MAIN.ccm)).toBe('cp-1');
    expect(environment.running('cp-1', 'ccm')).toEqual(['cloud-node']);
  });

  it('P20 a configuration file edited under a running process changes nothing until it restarts', () => {
    const environment = new Environment({ plans: [node(kcm({ migration: 'canonical' }))] }).wait(
      10,
    );
    const files = environment.cluster.node('cp-1')?.files;
    const text = files?.read(MIGRATION_FILES.kcm)?.content ?? '';
    files?.write(MIGRATION_FILES.kcm, text.replaceAll('service-lb-controller', 'service'));
    environment.wait(30);
    expect(environment.cluster.node('cp-1')?.configz('kcm')).toContain('service-lb-controller');
    environment.cluster.crashProcess('cp-1', 'kcm');
    environment.wait(5);
    expect(environment.cluster.node('cp-1')?.configz('kcm')).not.toContain('service-lb-controller');
  });

  it.each(['1.29.15', '1.30.14'])(
    'P21 without the token controller a KCM never tries the migration lock (KCM %s)',
    (version) => {
      const plan = kcm({
        version,
        migration: 'canonical',
        controllers: '*,-serviceaccount-token-controller',
      });
      const environment = new Environment({ plans: [node(plan)] }).wait(60);
      expect(environment.leader(MAIN.kcm)).toBe('cp-1');
      expect(environment.lease(MIGRATION)).toBeUndefined();
      expect(environment.metrics('cp-1', 'kcm')).not.toContain(MIGRATION);
      expect(environment.running('cp-1', 'kcm')).toEqual(['nodeipam']);
    },
  );
});
