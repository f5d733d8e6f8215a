import { Ajv } from 'ajv';
import { describe, expect, it } from '@jest/globals';
import { jsonSchemaOf } from '../../../../config/json-schemas.js';
import { fleetClaims, type FleetEvidence } from '../../../../testbed/demo/fleet/fleet-claims.js';
import { accountIn, evidenceWith, reportWith } from './given-fleet.js';

function untrue(evidence: FleetEvidence): readonly string[] {
  return fleetClaims(evidence)
    .filter(({ holds }) => !holds)
    .map(({ claim }) => claim);
}

const AGREES = "the product's report agrees with the simulator";
const HEALED = 'region us was cut off and healed by itself, and used nothing of the failure budget';
const BACK = 'eu-5, which failed, is back on its KCMs';
const UNTOUCHED = 'us-4, refused by preflight, is untouched';
const MOVED = 'the CCM owns the cloud controllers of all 10 others';
const APPROVED = 'wave last began after ben had approved it';
const PROVEN = 'who asked for the fleet, and that ben approved wave last, is proven by its export';
const SURVIVED = 'a worker of eu was killed on the way, and another one went on';

describe('the claims of the demo of a fleet', () => {
  it('every claim holds for a good run', () => {
    expect(untrue(evidenceWith())).toEqual([]);
  });

  it.each<[string, FleetEvidence, readonly string[]]>([
    [
      'two owners for a moment in one cluster',
      evidenceWith({}, accountIn('us-6', { overlapSeconds: 0.1 })),
      ['never two owners, in any cluster'],
    ],
    [
      'a cluster that has no owner at the end',
      evidenceWith({}, accountIn('eu-3', { owners: ['none'] })),
      [MOVED, AGREES],
    ],
    [
      'a cluster that was never moved',
      evidenceWith({}, accountIn('eu-3', { owners: ['kcm'] })),
      [MOVED, AGREES],
    ],
    [
      'an export that proves nothing',
      evidenceWith({ proof: { isProven: false, said: ['approvals: wave last by ben'] } }),
      [PROVEN],
    ],
    [
      'an export that names another approver',
      evidenceWith({ proof: { isProven: true, said: ['approvals: wave last by ana'] } }),
      [PROVEN],
    ],
    [
      'a change of the refused cluster',
      evidenceWith({}, accountIn('us-4', { changes: 1 })),
      [UNTOUCHED],
    ],
    [
      'a refused cluster that is gone',
      {
        ...evidenceWith(),
        accounts: evidenceWith().accounts.filter(({ name }) => name !== 'us-4'),
      },
      [UNTOUCHED],
    ],
    [
      'a failed cluster that stays on the CCM',
      evidenceWith({}, accountIn('eu-5', { owners: ['ccm'] })),
      [BACK, AGREES],
    ],
    [
      'a failing cluster that never was changed',
      evidenceWith({}, accountIn('eu-5', { changes: 0, changing: null })),
      [BACK],
    ],
    [
      'a fifth cluster at once',
      evidenceWith(
        {},
        ...['eu-3', 'eu-4', 'us-2', 'us-3', 'eu-5'].map((name) =>
          accountIn(name, { changing: { fromMs: 60_000, toMs: 80_000 } }),
        ),
      ),
      ['never more than 4 clusters were changing'],
    ],
    [
      'a fourth cluster of a region at once',
      evidenceWith(
        {},
        ...['eu-2', 'eu-3', 'eu-4', 'eu-5'].map((name) =>
          accountIn(name, { changing: { fromMs: 53_000, toMs: 54_000 } }),
        ),
        accountIn('us-1', { changing: { fromMs: 30_000, toMs: 52_000 } }),
      ),
      ['never more than 3 of one region', 'wave pilot was finished before wave main began'],
    ],
    [
      'a cluster beside the canary',
      evidenceWith({}, accountIn('us-1', { changing: { fromMs: 19_000, toMs: 50_000 } })),
      ['the canary was finished before any other cluster changed'],
    ],
    [
      'a wave that begins too early',
      evidenceWith({}, accountIn('us-3', { changing: { fromMs: 49_000, toMs: 115_000 } })),
      ['wave pilot was finished before wave main began'],
    ],
    ['a last wave before its approval', evidenceWith({ approvedAtMs: 130_500 }), [APPROVED]],
    ['no approval at all', evidenceWith({ approvedAtMs: null }), [APPROVED]],
    ['an approval by the requester', evidenceWith({ ownApprovalRefused: false }), [APPROVED]],
    [
      'an outage that cut nothing',
      evidenceWith(
        {},
        ...['us-1', 'us-2', 'us-3', 'us-4', 'us-5', 'us-6'].map((name) =>
          accountIn(name, { struck: 0 }),
        ),
      ),
      [HEALED],
    ],
    [
      'an outage that used the budget',
      evidenceWith({ report: reportWith({ burnt: 2 }) }),
      [HEALED],
    ],
    [
      'an outage for which a person was asked',
      evidenceWith({ asked: ['group region=us'] }),
      [HEALED],
    ],
    ['a report without a budget', evidenceWith({ report: reportWith({ burnt: NaN }) }), [HEALED]],
    ['a worker that was not killed', evidenceWith({ kills: 0 }), [SURVIVED]],
    ['a worker that stayed down', evidenceWith({ restarts: 0 }), [SURVIVED]],
    [
      'a report of a fleet that goes on',
      evidenceWith({ report: reportWith({ standing: 'held' }) }),
      [AGREES],
    ],
    [
      'a report without its clusters',
      evidenceWith({ report: reportWith({ phases: {} }) }),
      [BACK, AGREES],
    ],
  ])('a claim is false for %s', (_case, evidence, expected) => {
    expect(untrue(evidence)).toEqual(expected);
  });

  it('the printed report of a fleet matches its published schema', () => {
    const evidence = evidenceWith();
    const document = {
      ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'FleetDemoReport', passed: true },
      ...{ clusters: evidence.accounts, claims: fleetClaims(evidence) },
    };
    expect(new Ajv({ strict: false }).compile(jsonSchemaOf('FleetDemoReport'))(document)).toBe(
      true,
    );
  });
});
