import { describe, expect, it } from '@jest/globals';
import { PAYLOAD_TYPE } from '../../../domain/authority/signed-envelope.js';
import type { ApprovalSubject } from '../../../domain/fleet/fleet-command.js';
import type { FleetScope } from '../../../domain/fleet/fleet-command.js';
import type { WavePlan } from '../../../domain/fleet/fleet-plan.js';
import { isFleetOver, waveStanding } from '../../../domain/fleet/waves.js';
import { viewFleet } from '../../../domain/fleet/fleet-view.js';
import { waitReason } from '../../../domain/fleet/wait-reasons.js';
import { BACK_AGAIN, FAILED, GivenFleet, HOUR, rowPlans, WAVE } from './given-fleet.js';

const FIRST: FleetScope = { kind: 'wave', wave: 0 };

/** Four clusters in the first wave, two in the last. */
function twoWaves(
  first: Partial<WavePlan> = {},
  policy: Parameters<typeof fleetWith>[1] = {},
  last: Partial<WavePlan> = {},
): GivenFleet {
  return fleetWith(
    {
      waves: [
        { ...WAVE, ...first },
        { ...WAVE, name: 'last', ...last },
      ],
      rows: rowPlans({}, {}, {}, {}, { wave: 1 }, { wave: 1 }),
    },
    policy,
  );
}

function fleetWith(...given: ConstructorParameters<typeof GivenFleet>): GivenFleet {
  const [changes, policy] = given;
  return new GivenFleet(changes, { inFlight: 6, unproven: 6, ...policy });
}

function standing(fleet: GivenFleet, wave: number): string {
  return fleet.state.waves
    .filter(({ index }) => index === wave)
    .map((each) => waveStanding(fleet.state, each).kind)
    .join();
}

describe('approvals', () => {
  const before: ApprovalSubject = { kind: 'before', wave: 0 };
  const after: ApprovalSubject = { kind: 'after', wave: 0 };
  const approval = (subject: ApprovalSubject, changes: object = {}) =>
    ({ verb: 'approve', subject, planDigest: 'sha256:plan', revision: 1, ...changes }) as const;

  describe('where keys say who it was', () => {
    const by = (principal: string) => ({ principal });

    it('is kept as it was signed, for the workers that start clusters by it', () => {
      const signed = {
        payloadType: PAYLOAD_TYPE,
        payload: 'e30=',
        signatures: [{ keyid: 'k', sig: 's' }],
      } as const;
      const fleet = twoWaves({ approvals: { before: 2, after: 0 } });
      fleet.command(approval(before), FIRST, 'bo', { ...by('ben'), signed });
      expect(fleet.state.waves[0]?.approvedBefore).toMatchObject([{ principal: 'ben', signed }]);
      const unchecked = twoWaves({ approvals: { before: 2, after: 0 } });
      unchecked.command(approval(before), FIRST, 'bo', { signed });
      expect(unchecked.state.waves[0]?.approvedBefore[0]).not.toHaveProperty('signed');
    });

    it('one person who claims two names approves once', () => {
      const fleet = twoWaves({ approvals: { before: 2, after: 0 } });
      expect(fleet.command(approval(before), FIRST, 'bo', by('ben')).state).toBe('applied');
      expect(fleet.command(approval(before), FIRST, 'cy', by('ben'))).toMatchObject({
        ...{ state: 'refused', detail: 'cy has approved it' },
      });
      expect(fleet.command(approval(before), FIRST, 'di', by('dora')).state).toBe('applied');
      expect(fleet.acted('start')).toEqual([0, 1, 2, 3]);
    });

    it('an approval that no key is known of does not count beside one', () => {
      const fleet = twoWaves({ approvals: { before: 2, after: 0 } });
      expect(fleet.command(approval(before), FIRST, 'bo').detail).toBe('1 of 2 approvals');
      expect(fleet.command(approval(before), FIRST, 'cy', by('ben')).detail).toBe(
        '1 of 2 approvals',
      );
      expect(fleet.command(approval(before), FIRST, 'bo', by('bo')).detail).toBe(
        '2 of 2 approvals',
      );
    });

    it('limits that no key is known of are set again before they are approved', () => {
      const fleet = twoWaves();
      const higher = { verb: 'set', inFlight: 9, unproven: 9 } as const;
      fleet.command(higher, undefined, 'bo');
      const limits = approval({ kind: 'limits' }, { limits: { inFlight: 9, unproven: 9 } });
      expect(fleet.command(limits, undefined, 'cy', by('ben')).detail).toBe(
        'no key says that bo is another: set them again',
      );
      fleet.command(higher, undefined, 'bo', by('bo'));
      expect(fleet.command(limits, undefined, 'cy', by('ben')).state).toBe('applied');
    });

    it('whose key it was must be among the approvers, whatever name is claimed', () => {
      const fleet = twoWaves({ approvals: { before: 1, after: 0 }, approvers: ['bo'] });
      expect(fleet.command(approval(before), FIRST, 'bo', by('eve'))).toMatchObject({
        ...{ state: 'refused', detail: 'eve is no approver of this wave' },
      });
      expect(fleet.command(approval(before), FIRST, 'ben', by('Bo')).state).toBe('applied');
    });

    it('higher limits are not approved with the key that set them', () => {
      const fleet = twoWaves();
      const higher = { verb: 'set', inFlight: 9, unproven: 9 } as const;
      expect(fleet.command(higher, undefined, 'bo', by('ben')).state).toBe('pending');
      const limits = approval({ kind: 'limits' }, { limits: { inFlight: 9, unproven: 9 } });
      expect(fleet.command(limits, undefined, 'cy', by('ben')).detail).toBe(
        'bo asked for these limits, with the key of cy',
      );
      expect(fleet.command(limits, undefined, 'cy', by('cyrus')).state).toBe('applied');
    });

    it('who revised the fleet neither approves it nor sets its budget, under another name', () => {
      const fleet = twoWaves({ approvals: { before: 1, after: 0 } });
      fleet.state = { ...fleet.state, requesterPrincipal: 'ben' };
      expect(fleet.command(approval(before), FIRST, 'cy', by('ben'))).toMatchObject({
        ...{ state: 'refused', detail: 'cy asked for this fleet' },
      });
      const budget = { verb: 'budget', clusters: 9 } as const;
      expect(fleet.command(budget, undefined, 'cy', by('ben')).state).toBe('refused');
      expect(fleet.command(budget, undefined, 'cy', by('cyrus')).state).toBe('applied');
    });
  });

  it('before a wave come from a quorum of people other than the requester', () => {
    const fleet = twoWaves({ approvals: { before: 2, after: 0 } });
    expect(waitReason(fleet.state, fleet.row(0))).toMatchObject({
      standing: { kind: 'approvalBefore', missing: 2 },
    });
    expect(fleet.command(approval(before), FIRST, 'ana').state).toBe('refused');
    expect(fleet.command(approval(before), FIRST, 'bo').state).toBe('applied');
    expect(fleet.command(approval(before), FIRST, 'bo').state).toBe('refused');
    expect(fleet.actions).toEqual([]);
    expect(fleet.command(approval(before), FIRST, 'cy').detail).toBe('2 of 2 approvals');
    expect(fleet.acted('start')).toEqual([0, 1, 2, 3]);
    expect(fleet.command(approval(before), FIRST, 'di').state).toBe('refused');
  });

  it('the requester, and a person who approved already, is the same in any spelling', () => {
    const fleet = twoWaves({ approvals: { before: 2, after: 0 } });
    expect(fleet.command(approval(before), FIRST, ' Ana').state).toBe('refused');
    expect(fleet.command(approval(before), FIRST, 'bo').state).toBe('applied');
    expect(fleet.command(approval(before), FIRST, 'BO ').state).toBe('refused');
    expect(fleet.command({ verb: 'budget', clusters: 3 }, FIRST, 'ANA').state).toBe('refused');
    fleet.command({ verb: 'set', inFlight: 7, unproven: 7 }, { kind: 'fleet' }, 'cy');
    const limits = approval({ kind: 'limits' }, { limits: { inFlight: 7, unproven: 7 } });
    expect(fleet.command(limits, FIRST, 'Cy').state).toBe('refused');
    expect(fleet.command(limits, FIRST, 'bo').state).toBe('applied');
  });

  it('of a wave that names its approvers come from them alone', () => {
    const approvers = ['ana', 'bo@corp'];
    const fleet = twoWaves({ approvals: { before: 1, after: 0 }, approvers });
    expect(fleet.command(approval(before), FIRST, 'cy').detail).toBe(
      'cy is no approver of this wave',
    );
    expect(fleet.command(approval(before), FIRST, 'ana').state).toBe('refused');
    expect(fleet.command(approval(before), FIRST, 'Bo@corp').state).toBe('applied');
    expect(fleet.acted('start')).toEqual([0, 1, 2, 3]);
  });

  it('more than the quorum are not asked for', () => {
    const fleet = twoWaves({ approvals: { before: 1, after: 0 } }, { startAtMs: HOUR });
    fleet.command(approval(before));
    expect(fleet.command(approval(before), FIRST, 'cy').state).toBe('refused');
  });

  it('expire', () => {
    const fleet = twoWaves({ approvals: { before: 2, after: 0 } });
    fleet.command(approval(before), FIRST, 'bo');
    fleet.tick(24 * HOUR).command(approval(before), FIRST, 'cy');
    expect(fleet.actions).toEqual([]);
    fleet.command(approval(before), FIRST, 'bo');
    expect(fleet.acted('start')).toEqual([0, 1, 2, 3]);
  });

  it('expire also while the wave waits for something else', () => {
    const fleet = twoWaves({ approvals: { before: 1, after: 0 } }, { startAtMs: 48 * HOUR });
    fleet.command(approval(before));
    fleet.tick(48 * HOUR);
    expect(fleet.actions).toEqual([]);
    expect(standing(fleet, 0)).toBe('approvalBefore');
  });

  it.each([{ planDigest: 'sha256:other' }, { revision: 2 }])('for %o are refused', (changes) => {
    const fleet = twoWaves({ approvals: { before: 1, after: 0 } });
    expect(fleet.command(approval(before, changes)).state).toBe('refused');
    expect(fleet.waits(0)).toBe('wave');
  });

  it('after a wave hold the next one', () => {
    const fleet = twoWaves({ approvals: { before: 0, after: 1 } }).prove(0, 1, 2, 3);
    expect(standing(fleet, 0)).toBe('approvalAfter');
    expect(fleet.waits(4)).toBe('wave');
    fleet.command(approval(after));
    expect(fleet.acted('start')).toEqual([4, 5]);
  });

  it('after a wave do not keep its own clusters from being tried again', () => {
    const fleet = twoWaves({ approvals: { before: 0, after: 1 } })
      .prove(0, 1, 2)
      .report(3, FAILED);
    fleet.command({ verb: 'retry', only: { kind: 'failed' } });
    expect(fleet.acted('start')).toEqual([3]);
  });

  it('a rejection holds with its reason, and takes approvals back', () => {
    const fleet = twoWaves({ approvals: { before: 2, after: 0 } });
    fleet.command(approval(before), FIRST, 'bo');
    expect(fleet.command({ verb: 'reject', subject: before }, FIRST, 'cy').state).toBe('applied');
    expect(waitReason(fleet.state, fleet.row(0))).toMatchObject({
      standing: { kind: 'rejected', actor: 'cy', reason: 'CHG-1' },
    });
    fleet.command(approval(before), FIRST, 'bo');
    expect(fleet.actions).toEqual([]);
    fleet.command(approval(before), FIRST, 'di');
    expect(fleet.acted('start')).toEqual([0, 1, 2, 3]);
  });

  it('a rejection after a wave holds it at its end', () => {
    const fleet = twoWaves({ approvals: { before: 0, after: 1 } }).prove(0, 1, 2, 3);
    fleet.command({ verb: 'reject', subject: after });
    expect(standing(fleet, 0)).toBe('rejected');
    fleet.command(approval(after));
    expect(fleet.acted('start')).toEqual([4, 5]);
  });

  it.each([
    ['approve', { kind: 'before', wave: 9 }],
    ['approve', before],
    ['reject', { kind: 'before', wave: 9 }],
    ['reject', before],
    ['approve', { kind: 'limits' }],
    ['reject', { kind: 'limits' }],
  ] as const)('%s of %o where nothing waits is refused', (verb, subject) => {
    const fleet = twoWaves();
    const order = verb === 'approve' ? approval(subject) : ({ verb, subject } as const);
    expect(fleet.command(order).state).toBe('refused');
  });

  it('a wave that is over waits for none', () => {
    const fleet = twoWaves({ approvals: { before: 0, after: 1 } }).prove(0, 1, 2, 3);
    fleet.command(approval(after));
    expect(fleet.command({ verb: 'reject', subject: after }).state).toBe('refused');
  });

  it('are all that the opening of a wave cannot give: it says what the wave still waits for', () => {
    const open = { verb: 'open' } as const;
    const first = twoWaves({ approvals: { before: 2, after: 0 } });
    expect(first.command(open, FIRST)).toMatchObject({
      ...{ state: 'refused', detail: 'it is its turn already, and it waits for 2 more approvals' },
    });
    const last: FleetScope = { kind: 'wave', wave: 1 };
    const two = (): GivenFleet => twoWaves({}, {}, { approvals: { before: 1, after: 0 } });
    const waits = two();
    expect(waits.command(open, last)).toMatchObject({
      ...{ state: 'applied', detail: expect.stringContaining('but for 1 more approval') },
    });
    expect(waits.acted('start')).toEqual([]);
    const rejected = two();
    rejected.command({ verb: 'reject', subject: { kind: 'before', wave: 1 } });
    expect(rejected.command(open, last).detail).toContain('an approval: bo rejected it');
    const late = twoWaves({}, { startAtMs: HOUR });
    expect(late.command(open, last).detail).toContain('but for its start time');
    expect(twoWaves().command(open, last).detail).toBe('it begins before its turn');
  });

  it('after the last wave keep the fleet open until they are given', () => {
    const fleet = fleetWith({
      waves: [{ ...WAVE, approvals: { before: 0, after: 1 } }],
      rows: rowPlans({}, {}),
    }).prove(0, 1);
    expect(isFleetOver(fleet.state)).toBe(false);
    expect(viewFleet(fleet.state, 'prod').standing).toBe('held');
    fleet.command({ verb: 'reject', subject: after });
    expect(isFleetOver(fleet.state)).toBe(false);
    fleet.command(approval(after));
    expect(isFleetOver(fleet.state)).toBe(true);
  });

  it.each(['rollBack', 'stop'] as const)(
    'after the last wave are not awaited by a fleet after its %s',
    (verb) => {
      const fleet = fleetWith({
        waves: [{ ...WAVE, approvals: { before: 0, after: 1 } }],
        rows: rowPlans({}, {}),
      }).prove(0, 1);
      fleet.command({ verb });
      if (verb === 'rollBack') fleet.report(0, BACK_AGAIN).report(1, BACK_AGAIN);
      expect(isFleetOver(fleet.state)).toBe(true);
      expect(viewFleet(fleet.state, 'prod').needs).toEqual([]);
    },
  );
});
