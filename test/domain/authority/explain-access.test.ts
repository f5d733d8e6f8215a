import { describe, expect, it } from '@jest/globals';
import type { AccessRole } from '../../../domain/authority/access-policy.js';
import { explainVerbs } from '../../../domain/authority/explain-access.js';

const said = (...roles: AccessRole[]) =>
  Object.fromEntries(
    explainVerbs(
      { name: 'x', keys: [], grants: [{ roles, clusters: {}, fleets: null }] },
      { cluster: null, fleet: 'eu' },
    ).map(({ verb, allowed, why }) => [verb, `${allowed ? 'yes' : 'no'}: ${why}`]),
  );

describe('what a principal may ask for', () => {
  it('an approver approves what others asked for, and stops what it likes', () => {
    expect(said('approver')).toMatchObject({
      approve: 'yes: as approver, not what it asked for itself',
      pause: 'yes: a brake needs no signature',
      retry: 'no: takes operator or breakGlass',
      apply: 'no: takes requester or breakGlass',
    });
  });

  it('who breaks the glass may do everything, and it shows', () => {
    expect(said('breakGlass')).toMatchObject({
      approve: 'yes: as breakGlass',
      rollBack: 'yes: as breakGlass',
    });
  });
});
