import { describe, expect, it } from '@jest/globals';
import type { LeaderMigration } from '../../../domain/observation/observation.js';
import { policyOf } from '../../support/cluster-builder.js';
import { leaderMigrationOn, MIGRATION, TIMINGS } from '../../support/manager-configs.js';
import type { Row } from './given.js';
import { cluster, findings, withConfigs } from './given.js';
import { ALWAYS, ccm, KCM, kcm, lock } from './rows.js';

const on = (change: object, names: 'right' | 'wrong' = 'right'): LeaderMigration => ({
  ...leaderMigrationOn(names),
  ...change,
});
const GAP = policyOf({ strategy: 'gap' });

describe('election, lock and names', () => {
  it.each<readonly [string, Row, ...string[]]>([
    [
      'leader election off',
      kcm({ leaderElect: false }),
      `CCM1001 error ${KCM}: --leader-elect=false`,
    ],
    [
      'another lock',
      kcm({ leaderMigration: on({ lock: { ...MIGRATION, name: 'x' } }) }),
      `CCM1002 error ${KCM}: Lease kube-system/x instead of Lease kube-system/${MIGRATION.name}`,
    ],
    [
      'a main lock elsewhere',
      { observation: withConfigs(cluster(), 'kcm', { mainLock: { namespace: 'ops', name: 'k' } }) },
      ...[1, 2, 3].map(
        (n) =>
          `CCM1002 error node cp-${n} kube-controller-manager: main lock Lease ops/k, migration lock Lease kube-system/${MIGRATION.name}`,
      ),
      'CCM1505 error cloud controllers: owner none',
    ],
    [
      'no token controller',
      kcm({ contendsForMigrationLock: false }),
      `CCM1003 error ${KCM}: --controllers=*`,
    ],
    [
      'a token controller that gap does not need',
      { ...kcm({ contendsForMigrationLock: false }), policy: GAP },
    ],
    [
      'a shorter lease',
      kcm({ timings: { ...TIMINGS, leaseDurationSeconds: 9 } }),
      'CCM1004 error node cp-2 kube-controller-manager: lease 15 s, renew deadline 10 s, KCM lease 9 s, renew deadline 10 s',
      'CCM1004 error node cp-3 kube-controller-manager: lease 15 s, renew deadline 10 s, KCM lease 9 s, renew deadline 10 s',
      'CCM1004 error policy.ccm: lease 15 s, renew deadline 10 s, KCM lease 9 s, renew deadline 10 s',
    ],
    ['a faster retry is fine', ccm({ timings: { ...TIMINGS, retryPeriodSeconds: 1 } })],
    [
      "the guide's names",
      kcm({ leaderMigration: on({}, 'wrong') }),
      `CCM1005 error ${KCM}: service, route, cloud-node-lifecycle nonMigrated at 1.29.15`,
    ],
    [
      'the built-in default',
      kcm({ leaderMigration: on({ configHash: 'built-in' }, 'wrong') }),
      `CCM1006 error ${KCM}: service, route, cloud-node-lifecycle nonMigrated at 1.29.15`,
    ],
    ['a built-in default that is right', kcm({ leaderMigration: on({ configHash: 'built-in' }) })],
    [
      'an external KCM with Leader Migration',
      { observation: cluster('externalLm') },
      ...[1, 2, 3].map(
        (n) =>
          `CCM1007 error node cp-${n} kube-controller-manager: --cloud-provider=external with --enable-leader-migration`,
      ),
      'CCM1505 error cloud controllers: owner none',
    ],
    [
      'a file that cannot be read',
      kcm({ leaderMigration: { kind: 'unreadable', why: 'x is missing' } }),
      `CCM1008 error ${KCM}: x is missing`,
    ],
    [
      'a reserved lock',
      lock({ name: 'kube-scheduler' }),
      'CCM1009 error policy.lock: Lease kube-system/kube-scheduler',
    ],
    [
      'a main lock as the lock',
      { ...kcm({ mainLock: MIGRATION }), policy: GAP },
      `CCM1009 error policy.lock: Lease kube-system/${MIGRATION.name}`,
      `CCM1307 warning kube-controller-manager: main lock: kube-system/${MIGRATION.name} and kube-system/kube-controller-manager`,
    ],
    [
      'an invalid lock',
      lock({ name: 'Not_Valid' }),
      'CCM1009 error policy.lock: Lease kube-system/Not_Valid',
    ],
    [
      'a CCM without Leader Migration',
      { policy: policyOf({ ccm: { ...policyOf().ccm, leaderMigration: 'absent' } }) },
      'CCM1010 error policy.ccm: ccm:v1.30.14',
    ],
    [
      'such a CCM with gap',
      {
        policy: policyOf({
          strategy: 'gap',
          ccm: { ...policyOf().ccm, leaderMigration: 'absent' },
        }),
      },
    ],
    [
      'an incomplete set',
      lock({ controllers: ['service'] }),
      'CCM1011 error policy.lock: route, cloud-node-lifecycle not listed',
    ],
    [
      'a gate that is gone',
      kcm({ featureGates: 'ControllerManagerLeaderMigration=true' }),
      `CCM1012 error ${KCM}: ControllerManagerLeaderMigration is unknown since 1.27`,
    ],
    ['a gate of a CCM', ccm({ cloudProvider: 'gce' })],
    [
      'a version without gates to judge',
      ccm({ version: 'edge', featureGates: 'ControllerManagerLeaderMigration=true' }),
    ],
    [
      'node IPAM',
      lock({ controllers: [...ALWAYS, 'nodeipam'] }),
      'CCM1013 warning policy.lock: nodeipam with ccm:v1.30.14',
    ],
    [
      'a misspelt component',
      kcm({
        leaderMigration: on({
          dispositions: {
            service: 'unowned',
            route: 'migrated',
            'cloud-node-lifecycle': 'migrated',
            nodeipam: 'nonMigrated',
          },
        }),
      }),
      `CCM1014 error ${KCM}: service unowned at 1.29.15`,
    ],
  ])('preflight checks election, lock and names: %s', (_, row, ...expected) => {
    expect(findings(row).filter((one) => !/CCM1505 .* none|CCM1107/.test(one))).toEqual(
      expected.filter((one) => !one.startsWith('CCM1505')),
    );
  });

  it('preflight reports that failovers get longer, unless Leader Migration ends', () => {
    expect(findings({}, true)).toContain('CCM1015 info policy.disableLeaderMigration: never');
    const ends = policyOf({ disableLeaderMigration: 'afterSoak' });
    expect(findings({ policy: ends }, true).join()).not.toContain('CCM1015');
    expect(findings({ policy: GAP }, true).join()).not.toContain('CCM1015');
  });
});
