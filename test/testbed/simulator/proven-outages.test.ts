import { describe, expect, it } from '@jest/globals';
import { MIGRATION_FILES } from '../../../testbed/simulator/cluster/migration-files.js';
import { ccm, external, forbidMigrationLease, kcm, MAIN, MIGRATION, node, Scene } from './scene.js';

const IN_TREE_WITH_CCM = node(kcm({ migration: 'canonical' }), ccm(), { afterMs: { ccm: 8000 } });

/** What real binaries did (lab runs P18 to P21), reproduced by the simulator: managers that report healthy and run nothing. */
describe('proven on real binaries: silent outages', () => {
  it('P18 a CCM that is forbidden the migration Lease looks like one on standby', () => {
    const scene = new Scene({ plans: [IN_TREE_WITH_CCM] });
    forbidMigrationLease(scene.cluster);
    scene.wait(20);
    expect(scene.metrics('cp-1', 'ccm')).toContain(
      `leader_election_master_status{name="${MIGRATION}"} 0`,
    );
    expect(scene.metrics('cp-1', 'ccm')).toContain(
      `leader_election_master_status{name="${MAIN.ccm}"} 1`,
    );
    scene.takeAway('cp-1', 'kcm');
    scene.wait(60);
    expect(scene.ownedBy()).toBe('');
  });

  it('P19 with Leader Migration re-enabled but not granted, a KCM holds its main lock and runs nothing', () => {
    const scene = new Scene({
      plans: [node(external(), ccm({ migration: 'off' }))],
      leaseGrant: false,
    });
    forbidMigrationLease(scene.cluster);
    scene.wait(20);
    expect(scene.ownedBy()).toBe('ccm');
    scene.put('cp-1', 'ccm', ccm());
    scene.wait(60);
    expect(scene.leader(MAIN.ccm)).toBe('cp-1');
    expect(scene.running('cp-1', 'ccm')).toEqual(['cloud-node']);
  });

  it('P20 a configuration file edited under a running process changes nothing until it restarts', () => {
    const scene = new Scene({ plans: [node(kcm({ migration: 'canonical' }))] }).wait(10);
    const files = scene.cluster.node('cp-1')?.files;
    const text = files?.read(MIGRATION_FILES.kcm)?.content ?? '';
    files?.write(MIGRATION_FILES.kcm, text.replaceAll('service-lb-controller', 'service'));
    scene.wait(30);
    expect(scene.cluster.node('cp-1')?.configz('kcm')).toContain('service-lb-controller');
    scene.cluster.crashProcess('cp-1', 'kcm');
    scene.wait(5);
    expect(scene.cluster.node('cp-1')?.configz('kcm')).not.toContain('service-lb-controller');
  });

  it.each(['1.29.15', '1.30.14'])(
    'P21 without the token controller a KCM never tries the migration lock (KCM %s)',
    (version) => {
      const plan = kcm({
        version,
        migration: 'canonical',
        controllers: '*,-serviceaccount-token-controller',
      });
      const scene = new Scene({ plans: [node(plan)] }).wait(60);
      expect(scene.leader(MAIN.kcm)).toBe('cp-1');
      expect(scene.lease(MIGRATION)).toBeUndefined();
      expect(scene.metrics('cp-1', 'kcm')).not.toContain(MIGRATION);
      expect(scene.running('cp-1', 'kcm')).toEqual(['nodeipam']);
    },
  );
});
