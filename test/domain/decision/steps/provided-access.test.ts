import { describe, expect, it } from '@jest/globals';
import type { AccessObservation } from '../../../../domain/observation/observation.js';
import {
  clusterOf,
  policyOf,
  type ClusterSpec,
  UNTOUCHED,
} from '../../../support/cluster-builder.js';
import { decisionOf, MIGRATED, type DecisionRow } from './decisions.js';

const ROLLED_BACK: ClusterSpec = { ...UNTOUCHED, granted: true };

const provided = policyOf({ clusterAccess: 'provided' });
const asDaemonSet = policyOf({
  ...{ clusterAccess: 'provided' },
  ccm: { ...policyOf().ccm, deployAs: 'daemonSet' },
});
const off = policyOf({ clusterAccess: 'provided', leaderMigrationAfterRollback: 'off' });

function having(spec: ClusterSpec, access: Partial<AccessObservation>): DecisionRow['observation'] {
  const observation = clusterOf(spec);
  return { ...observation, access: { ...observation.access, ...access } };
}

const NO_ONE = { kcm: 'no', ccm: 'no' } as const;

const ROWS: readonly DecisionRow[] = [
  {
    name: 'nothing of the access is there: it waits for an administrator',
    observation: having(UNTOUCHED, { leaseGrant: 'absent' }),
    policy: provided,
    expected: 'CCM2019',
  },
  {
    name: 'a part of the grant of the Lease differs',
    observation: having(UNTOUCHED, { leaseGrant: 'partial', ccmAccess: 'present' }),
    policy: provided,
    expected: 'CCM2019',
  },
  {
    name: 'the grant is there, and an authorizer denies it',
    observation: having(UNTOUCHED, {
      ...{ leaseGrant: 'present', ccmAccess: 'present' },
      mayUseMigrationLease: { kcm: 'yes', ccm: 'unknown' },
    }),
    policy: provided,
    expected: 'CCM2019',
  },
  {
    name: 'the Lease may be used, and the access of the CCM is missing',
    observation: having(ROLLED_BACK, { ccmAccess: 'partial' }),
    policy: provided,
    expected: 'CCM2019',
  },
  {
    name: 'all of it is there: the managers come next',
    observation: having(ROLLED_BACK, { ccmAccess: 'present' }),
    policy: provided,
    expected: 'enableLeaderMigration cp-2',
  },
  {
    name: 'a DaemonSet is no access: a run creates it',
    observation: having(ROLLED_BACK, { ccmAccess: 'present' }),
    policy: asDaemonSet,
    expected: 'prepareCcm ccmAccess',
  },
  {
    name: 'once the DaemonSet is there it is not created again',
    observation: {
      ...having(ROLLED_BACK, { ccmAccess: 'present' }),
      ccmWorkload: { source: 'daemonSet', owner: 'ours', name: 'ccm', template: null },
    },
    policy: asDaemonSet,
    expected: 'enableLeaderMigration cp-2',
  },
  {
    name: 'a rollback needs the grant while CCMs are there',
    observation: having(MIGRATED, { leaseGrant: 'absent', mayUseMigrationLease: NO_ONE }),
    target: 'kcm',
    policy: provided,
    expected: 'CCM2019',
  },
  {
    name: 'a rollback leaves the access of the CCM',
    observation: having(ROLLED_BACK, { ccmAccess: 'present' }),
    target: 'kcm',
    policy: provided,
    expected: 'done',
  },
  {
    name: 'a rollback that ends Leader Migration leaves the grant of its Lease',
    observation: having(ROLLED_BACK, { ccmAccess: 'present' }),
    target: 'kcm',
    policy: off,
    expected: 'done',
  },
];

describe('access that an administrator provides', () => {
  it.each(ROWS)('access that is provided: $name', (row) => {
    expect(decisionOf(row)).toBe(row.expected);
  });
});
