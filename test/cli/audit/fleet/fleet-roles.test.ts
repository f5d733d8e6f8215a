import { describe, expect, it } from '@jest/globals';
import { verifyFleet } from '../../../../cli/audit/fleet/verify-fleet.js';
import type { AccessGrant } from '../../../../domain/authority/access-policy.js';
import type { Envelope } from '../../../../domain/authority/signed-envelope.js';
import { granting } from '../../../support/signing.js';
import { openChecks, secondOpen } from './both-verifiers.js';
import { closedFleet, type Members, type OpenFleet } from './closed-fleet.js';
import {
  ANA,
  approvalBy,
  BEN,
  carriedBy,
  commandBy,
  fleetGiven,
  FleetWriter,
  revisionBy,
  RUN,
  signedFleet,
  startBy,
  TRUST,
} from './signed-fleet.js';

type Grants = Readonly<Record<string, readonly Partial<AccessGrant>[]>>;

const GIVEN = fleetGiven();
const begun = (): FleetWriter =>
  new FleetWriter().begin(RUN, { given: { ...GIVEN, authority: startBy(GIVEN) } });

/** The first cluster is started, after a command that a worker let pass. */
function startedAfter(command: Members | null, by = ''): OpenFleet {
  const writer = command === null ? begun() : begun().command(command, by);
  return writer.starts(0).end('done', { proven: 1, skipped: 2 });
}

const SET: Members = { verb: 'set', inFlight: 3, unproven: null };
const BUDGET: Members = { verb: 'budget', clusters: 2 };
const APPROVAL = approvalBy(BEN, GIVEN);
const BACK = commandBy(BEN, { verb: 'rollBack' });

/** A cluster is started to be rolled back, by an order that a worker let pass, or by another text. */
function startedBack(signed: unknown, command = BACK): OpenFleet {
  const start = { row: 0, grant: 1, target: 'kcm', actor: 'ben', signed };
  return begun()
    .command(command, 'ben')
    .activity('startClusters', { starts: [start] }, [])
    .end('done', { proven: 1, skipped: 2 });
}

/** Ben gives a new plan, by which the first cluster is started. */
function revised(): OpenFleet {
  const next = fleetGiven({ policy: 'second', requester: 'ben' });
  const revision = revisionBy(BEN, next);
  const { statement } = revision['signed'] as { statement: Envelope };
  return begun()
    .revision(revision, next.plan.planDigest, 'ben')
    .begin('run-b', carriedBy(next, statement, 2))
    .starts(0)
    .end('done', { proven: 1, skipped: 2 });
}

const requester = (grant: Partial<AccessGrant>): Grants => ({
  ana: [{ roles: ['requester'], ...grant }],
});
const operator = (grant: Partial<AccessGrant>): Grants => ({
  ben: [{ roles: ['operator'], ...grant }],
});
const names = (...of: readonly string[]) => ({ clusters: { names: of } });
const glass = (fleets: readonly string[]): Grants => ({
  ana: [{ roles: ['requester', 'operator'] }, { roles: ['breakGlass'], fleets }],
});

describe('the roles of who signed for a fleet', () => {
  it.each<[string, OpenFleet, Grants, string | null]>([
    ['as the policy has them', signedFleet(), {}, null],
    ['for the cluster that was started', startedAfter(null), requester(names('c0')), null],
    [
      'for another cluster',
      startedAfter(null),
      requester(names('c1')),
      'c0: ana may not apply here: it takes the role requester',
    ],
    [
      'for the second cluster, which was started alone',
      begun()
        .command(APPROVAL, 'ben')
        .startsBy([APPROVAL], 1)
        .end('done', { proven: 1, skipped: 2 }),
      requester(names('c1')),
      null,
    ],
    ['for its clusters, of this fleet', startedAfter(null), requester({ fleets: ['prod'] }), null],
    ['of another fleet', startedAfter(null), requester({ fleets: ['dev'] }), 'may not apply here'],
    [
      'by labels',
      startedAfter(null),
      requester({ clusters: { labels: { region: 'eu' } } }),
      'unless labels of c0 give it',
    ],
    ['of a fleet that started nothing', begun().end('done', { skipped: 3 }), operator({}), null],
    [
      'of who may not ask for it, and started nothing',
      begun().end('done', { skipped: 3 }),
      { ana: [{ roles: ['approver'] }] },
      null,
    ],
    ['for a command to the fleet', startedAfter(commandBy(BEN, SET), 'ben'), operator({}), null],
    [
      'for a command, of the clusters alone',
      startedAfter(commandBy(BEN, SET), 'ben'),
      operator(names('c0', 'c1', 'c2')),
      'ben may not set here: it takes the role operator',
    ],
    [
      'for a command, of clusters by labels',
      startedAfter(commandBy(BEN, SET), 'ben'),
      operator({ clusters: { labels: { region: 'eu' } } }),
      'takes the role operator; this is by version 1',
    ],
    [
      'for a command, of this fleet',
      startedAfter(commandBy(BEN, SET), 'ben'),
      operator({ ...names('c9'), fleets: ['prod'] }),
      null,
    ],
    [
      'for an approval of a wave',
      startedAfter(APPROVAL, 'ben'),
      operator({}),
      'ben may not approve here: it takes the role approver',
    ],
    [
      'for a budget, of the one who asked and may break the glass',
      startedAfter(commandBy(ANA, BUDGET), 'ana'),
      glass(['prod']),
      null,
    ],
    [
      'for a budget, of the one who asked and may break the glass of another fleet',
      startedAfter(commandBy(ANA, BUDGET), 'ana'),
      glass(['dev']),
      'ana asked for it, so another person must set its budget',
    ],
    ['for a new plan', revised(), requester({}), null],
    [
      'for a new plan, without the one that it takes',
      revised(),
      operator({}),
      'ben may not revise here: it takes the role requester',
    ],
    [
      'for a new plan, and not for the cluster that it starts',
      revised(),
      { ben: [{ roles: ['requester'], ...names('c1'), fleets: ['prod'] }] },
      'c0: ben may not revise here',
    ],
    [
      'to roll a cluster back by an order',
      startedBack(BACK['signed']),
      requester({ roles: ['approver'] }),
      null,
    ],
    [
      'to roll a cluster back by another command',
      startedBack(commandBy(BEN, SET)['signed'], commandBy(BEN, SET)),
      requester({ roles: ['approver'] }),
      'c0: ana may not apply here',
    ],
    [
      'to roll a cluster back by no order',
      startedBack(undefined),
      requester({ roles: ['approver'] }),
      'c0: ana may not apply here',
    ],
  ])('%s', async (_case, fleet, grants, why) => {
    const trust = granting(TRUST, grants);
    const text = closedFleet(fleet);
    const expected = why === null ? [] : ['roles?'];
    expect(await openChecks(text, trust)).toEqual(expected);
    const second = await secondOpen(text, trust);
    if (second !== null) expect(second).toEqual(expected);
    const { checks } = await verifyFleet(text, { trust });
    const said = checks.find(({ check }) => check === 'roles')?.detail;
    expect(said).toContain(why ?? 'as version 1 of the access policy test has them');
  });

  it('are not looked at where no signature is proven', async () => {
    const stranger = TRUST.principals.filter(({ name }) => name !== 'ana');
    const trust = { ...TRUST, principals: stranger };
    const text = closedFleet(signedFleet());
    expect(await openChecks(text, trust)).toEqual(['signatures']);
    const { checks } = await verifyFleet(text, { trust });
    expect(checks.map(({ check }) => check)).not.toContain('roles');
  });
});
