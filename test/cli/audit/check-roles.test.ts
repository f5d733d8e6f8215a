import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import {
  ACCESS_ROLES,
  type AccessGrant,
  type AccessPolicy,
} from '../../../domain/authority/access-policy.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../support/second-verifier.js';
import { granting } from '../../support/signing.js';
import { type Dice, diceOf } from './forged-exports.js';
import { exportResting, type RestsOn } from './resting-on.js';
import { ANA, BEN, OWN_CODE, signedExport, TRUST, trustFile } from './signed-export.js';
import { CONTEXT } from './written-run.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-roles-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Grants = Readonly<Record<string, readonly Partial<AccessGrant>[]>>;

const { name: CLUSTER } = CONTEXT.cluster;
const HERE = { names: [CLUSTER] };
const ELSEWHERE = { names: ['other'] };
const PLAN = CONTEXT.planDigest;
/** By a command of ben, an approver and operator. */
const OWN = signedExport({ steps: 2 });
/** Asked for by ci, approved by ben and cho: for its cluster and, of two, for its wave. */
const MEMBER = signedExport({ steps: 2, isOfFleet: true });
const ONE_OF_TWO = signedExport({ steps: 2, isOfFleet: true, before: 1 });

const SEED = Number(process.env['CCM_TEST_SEED'] ?? 1);
const PEOPLE = ['ana', 'ben', 'ci', 'cho'] as const;

/** Two grants of each person, of some role somewhere. */
function anyGrants(dice: Dice): Grants {
  const one = <Each>(all: readonly Each[]): Each => all[dice(all.length)] as Each;
  const grant = (): Partial<AccessGrant> => ({
    roles: [one(ACCESS_ROLES), one(ACCESS_ROLES)],
    clusters: one([
      {},
      {},
      HERE,
      ELSEWHERE,
      { labels: { a: 'b' } },
      { ...HERE, labels: { a: 'b' } },
    ]),
    fleets: one([null, null, ['prod'], ['dev', 'prod'], ['dev']]),
  });
  return Object.fromEntries(PEOPLE.map((name) => [name, [grant(), grant()]]));
}

/** What both say of roles; null where the check is not made. */
async function rolesIn(text: string, trust: AccessPolicy) {
  const { checks } = await verifyExport(text, OWN_CODE, { trust });
  const found = checks.find(({ check }) => check === 'roles');
  const path = join(folder, 'one.json');
  await writeFile(path, text);
  const [verdict] = await secondVerdicts(trustFile(trust), [path]);
  if (HAS_SECOND_VERIFIER) {
    expect(verdict?.checks['roles']?.result).toBe(found?.result);
    expect(verdict?.checks['signatures']?.result).toBe(
      checks.find(({ check }) => check === 'signatures')?.result,
    );
  }
  return found;
}

async function expectRoles(text: string, grants: Grants, why: string | null): Promise<void> {
  const found = await rolesIn(text, granting(TRUST, grants));
  expect(found?.result).toBe(why === null ? 'pass' : 'unproven');
  expect(found?.detail).toContain(why ?? 'as version 1 of the access policy test has them');
}

describe('the roles of who signed', () => {
  it.each<[string, RestsOn]>([
    ['a verb', { start: [ANA, {}], commands: [[BEN, { verb: 'destroy' as 'stop' }]] }],
    [
      'a target',
      {
        start: [ANA, { target: 'cloud' as 'ccm' }],
        commands: [[BEN, { verb: 'rollBack' }]],
        target: 'kcm',
      },
    ],
    [
      'a way to turn back',
      { start: [ANA, {}], commands: [[BEN, { turnsBack: 'always' as 'byPolicy' }]] },
    ],
  ])('are not asked for where it has %s that no statement has', async (_, rests) => {
    expect(await rolesIn(exportResting(rests), TRUST)).toBeUndefined();
  });

  it.each<[string, Grants, string | null]>([
    ['as the policy has them', {}, null],
    ['of one who may break the glass', { ana: [{ roles: ['breakGlass'] }] }, null],
    [
      'without the one that asks for a run',
      { ana: [{ roles: ['operator', 'approver', 'automation'] }] },
      'ana may not apply here: it takes the role requester',
    ],
    ['for this cluster', { ana: [{ roles: ['requester'], clusters: HERE }] }, null],
    [
      'for another cluster',
      { ana: [{ roles: ['requester'], clusters: ELSEWHERE }] },
      'ana may not apply here',
    ],
    [
      'for a fleet, of a run of its own',
      { ana: [{ roles: ['requester'], fleets: ['prod'] }] },
      'ana may not apply here',
    ],
    [
      'by labels',
      { ana: [{ roles: ['requester'], clusters: { labels: { region: 'eu' } } }] },
      `unless labels of ${CLUSTER} give it`,
    ],
    [
      'by labels, and by name',
      {
        ana: [
          { roles: ['requester'], clusters: { labels: { region: 'eu' } } },
          { roles: ['requester'], clusters: HERE },
        ],
      },
      null,
    ],
    [
      'without the one that a command takes',
      { ben: [{ roles: ['approver', 'requester'] }] },
      'a command: ben may not skip here: it takes the role operator',
    ],
  ])('%s', (_case, grants, why) => expectRoles(OWN, grants, why));

  it('of labels are told from those of another cluster', async () => {
    const labels = { region: 'eu' };
    const clusters = { ...ELSEWHERE, labels };
    const found = await rolesIn(
      OWN,
      granting(TRUST, { ana: [{ roles: ['requester'], clusters }] }),
    );
    expect(found?.result).toBe('unproven');
    expect(found?.detail).not.toContain('labels');
    expect(found?.detail).toContain('this is by version 1 of the access policy test: give the one');
    expect(found?.detail).toContain('--allow roles');
  });

  it.each<[string, string, Grants, string | null]>([
    ['for its fleet', MEMBER, { ci: [{ roles: ['requester'], fleets: ['prod'] }] }, null],
    [
      'for another fleet',
      MEMBER,
      { ci: [{ roles: ['requester'], fleets: ['dev'] }] },
      'ci may not apply here',
    ],
    [
      'of an approver for the fleet',
      MEMBER,
      { cho: [{ roles: ['approver'], fleets: ['prod'] }] },
      null,
    ],
    [
      'of an approver for the cluster alone, who approved its wave',
      MEMBER,
      { cho: [{ roles: ['approver'], clusters: HERE }] },
      'signed approvals of 1 of 2 people (cho: not approver)',
    ],
    [
      'of an approver by labels, who approved its wave',
      MEMBER,
      {
        cho: [
          { roles: ['approver'], clusters: HERE },
          { roles: ['approver'], clusters: { labels: { a: 'b' } } },
        ],
      },
      'people (cho: not approver); this is by',
    ],
    [
      'of one approver too many for its wave',
      ONE_OF_TWO,
      { cho: [{ roles: ['approver'], clusters: HERE }] },
      null,
    ],
    [
      'of an approver for other clusters of the fleet',
      MEMBER,
      { cho: [{ roles: ['approver'], clusters: ELSEWHERE, fleets: ['prod'] }] },
      'a command: cho may not approve here: it takes the role approver',
    ],
    ['of no approver', MEMBER, { cho: [{ roles: ['operator'] }] }, 'cho may not approve here'],
  ])('%s, of a member of a fleet', (_case, text, grants, why) => expectRoles(text, grants, why));

  const approval = { verb: 'approve', plan: PLAN, subject: 'handover' } as const;
  const glass = (clusters: AccessGrant['clusters']): Grants => ({
    ana: [{ roles: ['requester', 'approver'] }, { roles: ['breakGlass'], clusters }],
  });
  const back: RestsOn = {
    ...{ start: [ANA, {}], commands: [[BEN, { verb: 'rollBack', subject: '' }]], target: 'kcm' },
  };
  const byPolicy: RestsOn = { start: [ANA, { turnsBack: 'byPolicy' }], target: 'kcm' };
  const toKcm: RestsOn = { start: [ANA, { target: 'kcm' }], target: 'kcm' };
  const operator = { ana: [{ roles: ['operator'] as const }] };
  it.each<[string, RestsOn, Grants, string | null]>([
    [
      'an approval of one’s own request by who may break the glass',
      { start: [ANA, {}], commands: [[ANA, approval]] },
      glass(HERE),
      null,
    ],
    [
      'an approval of one’s own request by who may break the glass elsewhere',
      { start: [ANA, {}], commands: [[ANA, approval]] },
      glass(ELSEWHERE),
      'ana asked for it, so another person must approve it',
    ],
    [
      'a rollback that an operator ordered, of any request',
      back,
      { ana: [{ roles: ['automation'] }] },
      null,
    ],
    ['a rollback by automation', back, { ben: [{ roles: ['automation'] }] }, null],
    [
      'a rollback by an approver',
      back,
      { ben: [{ roles: ['approver'] }] },
      'ben may not rollBack here',
    ],
    [
      'an approval after a turn, of who turned it',
      {
        start: [BEN, {}],
        commands: [
          [ANA, { verb: 'rollForward', subject: '' }],
          [BEN, approval],
        ],
      },
      { ana: [{ roles: ['requester'] }], ben: [{ roles: ['requester', 'approver'] }] },
      null,
    ],
    ['a rollback by the policy of the request', byPolicy, operator, 'ana may not apply here'],
    ['a run toward KCM', toKcm, operator, null],
    [
      'a run toward KCM by no one who may',
      toKcm,
      { ana: [{ roles: ['approver'] }] },
      'ana may not apply',
    ],
  ])('%s', (_case, rests, grants, why) => expectRoles(exportResting(rests), grants, why));

  it(`are told alike by both, whatever grants there are (seed ${String(SEED)})`, async () => {
    const dice = diceOf(SEED);
    const results = new Map<string, number>();
    for (let made = 0; made < 12; made += 1) {
      const trust = granting(TRUST, anyGrants(dice));
      const text = [OWN, MEMBER, ONE_OF_TWO][dice(3)] ?? OWN;
      const { result = 'none' } = (await rolesIn(text, trust)) ?? {};
      results.set(result, (results.get(result) ?? 0) + 1);
    }
    expect([...results.keys()].sort()).toEqual(['pass', 'unproven']);
  }, 120_000);

  it('of keys that were revoked since count', async () => {
    const principals = TRUST.principals.map((each) => ({
      ...each,
      keys: each.keys.map((key) => ({ ...key, revoked: true })),
    }));
    expect(await rolesIn(MEMBER, { ...TRUST, principals })).toMatchObject({ result: 'pass' });
  });

  it('are no matter of what a policy has asked of handovers since', async () => {
    const trust: AccessPolicy = { ...TRUST, handoverApproval: 'required' };
    expect(await rolesIn(OWN, trust)).toMatchObject({ result: 'pass' });
  });

  it('are not looked at where no signature is proven, or nothing was changed', async () => {
    const stranger = TRUST.principals.filter(({ name }) => name !== 'ben');
    expect(await rolesIn(OWN, { ...TRUST, principals: stranger })).toBeUndefined();
    expect(await rolesIn(signedExport({ steps: 0 }), granting(TRUST, operator))).toBeUndefined();
    const { checks } = await verifyExport(OWN, OWN_CODE);
    expect(checks.map(({ check }) => check)).not.toContain('roles');
  });
});
