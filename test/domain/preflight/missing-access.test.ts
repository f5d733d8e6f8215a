import { describe, expect, it } from '@jest/globals';
import type { AccessObservation } from '../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import { policyOf } from '../../support/cluster-builder.js';
import { cluster, findings } from './given.js';

const NOTHING: AccessObservation = {
  ...{ leaseGrant: 'absent', ccmAccess: 'absent' },
  mayUseMigrationLease: { kcm: 'no', ccm: 'no' },
};
const ALL: AccessObservation = {
  ...{ leaseGrant: 'present', ccmAccess: 'present' },
  mayUseMigrationLease: { kcm: 'yes', ccm: 'yes' },
};
const MISSING = 'CCM2019 error access of KCM and CCM: missing or different:';

describe('access that an administrator provides', () => {
  it.each<[string, AccessObservation, Partial<MigrationPolicy>, readonly string[]]>([
    ['runs create it themselves', NOTHING, {}, []],
    [
      'nothing of it is there',
      NOTHING,
      { clusterAccess: 'provided' },
      [`${MISSING} to the migration Lease (absent), of the CCM (absent)`],
    ],
    [
      'without a lock no right to one is missing',
      NOTHING,
      { clusterAccess: 'provided', strategy: 'gap' },
      [`${MISSING} of the CCM (absent)`],
    ],
    ['all of it is there', ALL, { clusterAccess: 'provided' }, []],
  ])('%s', (_name, access, changes, expected) => {
    const observation = { ...cluster(), access };
    expect(findings({ observation, policy: policyOf(changes) })).toEqual(expected);
  });
});
