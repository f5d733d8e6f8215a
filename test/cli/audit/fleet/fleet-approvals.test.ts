import { describe, expect, it } from '@jest/globals';
import { verifyFleet } from '../../../../cli/audit/fleet/verify-fleet.js';
import type { Envelope } from '../../../../domain/authority/signed-envelope.js';
import type { TestPrincipal } from '../../../support/signing.js';
import { openChecks, secondOpen } from './both-verifiers.js';
import { closedFleet, type Members, type OpenFleet } from './closed-fleet.js';
import {
  ANA,
  approvalBy,
  BEN,
  carriedBy,
  DORA,
  fleetGiven,
  FleetWriter,
  GLASS,
  type Given,
  revisionBy,
  RUN,
  startBy,
  TRUST,
} from './signed-fleet.js';

/** One cluster after the other, wave main with these approvals before it. */
function approvedBy(
  given: Given,
  approve: (writer: FleetWriter) => unknown,
  rows: readonly number[] = [0],
): OpenFleet {
  const writer = new FleetWriter().begin(RUN, { given: { ...given, authority: startBy(given) } });
  approve(writer.starts(...rows));
  return writer.starts(1, 2).end('done', { proven: 3 });
}

/** Given a new plan by someone, and approved in the same execution. */
function revisedBy(who: TestPrincipal, approve: (next: Given) => Members): OpenFleet {
  const given = fleetGiven();
  const next = fleetGiven({ policy: 'second', requester: who.name });
  const revision = revisionBy(who, next);
  const { statement } = revision['signed'] as { statement: Envelope };
  const approval = approve(next);
  const { name } = approval['actor'] === 'dora' ? DORA : BEN;
  return new FleetWriter()
    .begin(RUN, { given: { ...given, authority: startBy(given) } })
    .starts(0)
    .revision(revision, next.plan.planDigest, who.name)
    .command(approval, name)
    .begin('run-b', carriedBy(next, statement, 2))
    .starts(1, 2)
    .end('done', { proven: 3 });
}

describe('approvals of a fleet', () => {
  const given = fleetGiven();
  const two = fleetGiven({ before: 2 });

  it.each<[string, () => OpenFleet, readonly string[]]>([
    ['one of one', () => approvedBy(given, (w) => w.command(approvalBy(BEN, given), 'ben')), []],
    ['none', () => approvedBy(given, () => undefined), ['approvals']],
    [
      'of the one who asked',
      () => approvedBy(given, (w) => w.command(approvalBy(ANA, given), 'ana')),
      ['signatures', 'approvals'],
    ],
    [
      'two names of one key',
      () =>
        approvedBy(two, (w) =>
          w
            .command(approvalBy(BEN, two), 'ben')
            .command(approvalBy(BEN, two, { actor: 'cy', commandId: 'again' }), 'ben'),
        ),
      ['approvals'],
    ],
    [
      'one key under a name that another one uses, too',
      () =>
        approvedBy(two, (w) =>
          w
            .command(approvalBy(BEN, two), 'ben')
            .command(approvalBy(BEN, two, { actor: 'cy', commandId: 'again' }), 'ben')
            .command(approvalBy(DORA, two, { actor: 'cy' }), 'dora'),
        ),
      [],
    ],
    [
      'two people',
      () =>
        approvedBy(two, (w) =>
          w.command(approvalBy(BEN, two), 'ben').command(approvalBy(DORA, two), 'dora'),
        ),
      [],
    ],
    [
      'one who is no approver of the wave',
      () => {
        const named = fleetGiven({ approvers: ['dora'] });
        return approvedBy(named, (w) => w.command(approvalBy(BEN, named), 'ben'));
      },
      ['approvals'],
    ],
    [
      'of another plan',
      () =>
        approvedBy(given, (w) =>
          w.command(approvalBy(BEN, fleetGiven({ policy: 'second' })), 'ben'),
        ),
      ['approvals'],
    ],
    [
      'of another run of the fleet',
      () =>
        approvedBy(given, (w) => w.command(approvalBy(BEN, given, { fleetRun: 'run-0' }), 'ben')),
      ['approvals'],
    ],
    [
      'taken back by a rejection',
      () =>
        approvedBy(given, (w) =>
          w.command(approvalBy(BEN, given), 'ben').signal('fleetCommand', {
            ...{ commandId: 'no', actor: 'cy', reason: 'wait', fleetRun: RUN },
            ...{ scope: { kind: 'fleet' } },
            order: { verb: 'reject', subject: { kind: 'before', wave: 1 } },
          }),
        ),
      ['approvals?'],
    ],
    [
      'given in a run that had ended, and is opened again',
      () =>
        new FleetWriter()
          .begin(RUN, carriedBy(given, startBy(given), 1))
          .starts(1)
          .end('done', { proven: 3 }),
      ['outcome', 'approvals?'],
    ],
    [
      'by the key that gave the new plan, under another name',
      () => revisedBy(BEN, (next) => approvalBy(BEN, next, { actor: 'cy' }, 2)),
      ['approvals'],
    ],
    [
      'by another one than gave the new plan',
      () => revisedBy(BEN, (next) => approvalBy(DORA, next, {}, 2)),
      [],
    ],
    [
      'of the plan before, which was overtaken',
      () => revisedBy(BEN, () => approvalBy(DORA, given)),
      ['approvals?'],
    ],
    [
      'by who may break the glass',
      () => approvedBy(given, (w) => w.command(approvalBy(GLASS, given), 'glass', 'break-glass')),
      [],
    ],
    [
      'unsigned, which a worker let pass',
      () => {
        const { signed: _signed, ...unsigned } = approvalBy(BEN, given);
        return approvedBy(given, (w) => w.command(unsigned, 'ben'));
      },
      ['signatures'],
    ],
    [
      'signed by one, and let pass as that of another',
      () => approvedBy(given, (w) => w.command(approvalBy(BEN, given), 'dora')),
      ['signatures'],
    ],
  ])('%s', async (_case, fleet, expected) => {
    const text = closedFleet(fleet());
    expect([...(await openChecks(text))].sort()).toEqual([...expected].sort());
    const second = await secondOpen(text);
    if (second !== null) expect([...second].sort()).toEqual([...expected].sort());
  });

  it('are shown with names, keys and broken glass', async () => {
    const said = approvalBy(GLASS, given, { actor: 'cy' });
    const open = approvedBy(given, (w) => w.command(said, 'glass', 'break-glass: glass'));
    const { checks } = await verifyFleet(closedFleet(open), { trust: TRUST });
    expect(checks.find(({ check }) => check === 'approvals')?.detail).toBe(
      'wave main by cy (glass, BREAK-GLASS)',
    );
  });
});
