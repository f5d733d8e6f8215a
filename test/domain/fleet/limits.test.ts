import { describe, expect, it } from '@jest/globals';
import { nextTickMs } from '../../../domain/fleet/timed.js';
import { GivenFleet, HOUR } from './given-fleet.js';

/** As older versions send it. */
const UNBOUND = {
  verb: 'approve',
  subject: { kind: 'limits' },
  planDigest: 'sha256:plan',
  revision: 1,
} as const;

describe('limits', () => {
  const set = (inFlight: number | null, unproven: number | null) =>
    ({ verb: 'set', inFlight, unproven }) as const;
  const approval = (inFlight: number, unproven: number) =>
    ({ ...UNBOUND, limits: { inFlight, unproven } }) as const;

  it('that are lower apply at once, higher ones when another person approves', () => {
    const fleet = new GivenFleet();
    expect(fleet.command(set(3, 3))).toMatchObject({ state: 'pending' });
    expect(fleet.state.policy).toMatchObject({ inFlight: 2, unproven: 3 });
    expect(fleet.command(approval(3, 3), undefined, 'bo').state).toBe('refused');
    expect(fleet.command(approval(3, 3), undefined, 'cy')).toMatchObject({
      ...{ state: 'applied', detail: 'set: 3 in flight and 3 unproven' },
    });
    expect(fleet.acted('start')).toEqual([2]);
  });

  it('can be raised in one alone', () => {
    const fleet = new GivenFleet();
    fleet.command(set(null, 9));
    fleet.command(approval(2, 9), undefined, 'cy');
    expect(fleet.state.policy).toMatchObject({ inFlight: 2, unproven: 9 });
  });

  it('are approved as they were seen: what someone else asked for meanwhile is not', () => {
    const fleet = new GivenFleet();
    fleet.command(set(3, null));
    expect(fleet.command(set(500, 5000), undefined, 'mallory').detail).toBe(
      'higher limits wait for another person; 3 in flight and 4 unproven, which bo asked for, are dropped',
    );
    expect(fleet.command(approval(3, 4), undefined, 'cy')).toMatchObject({
      state: 'refused',
      detail:
        'the approval is for 3 in flight and 4 unproven, and mallory asks for 500 in flight and 5000 unproven',
    });
    expect(fleet.command(approval(500, 4), undefined, 'cy').state).toBe('refused');
    expect(fleet.command(UNBOUND, undefined, 'cy')).toMatchObject({
      ...{ state: 'refused', detail: expect.stringContaining('does not say for which limits') },
    });
    expect(fleet.state.policy).toMatchObject({ inFlight: 2, unproven: 4 });
  });

  it('that are lowered later drop what was asked for before', () => {
    const fleet = new GivenFleet();
    fleet.command(set(3, null));
    expect(fleet.command(set(null, 2), undefined, 'di')).toMatchObject({
      state: 'applied',
      detail: 'set; 3 in flight and 4 unproven, which bo asked for, are dropped',
    });
    expect(fleet.command(approval(3, 4), undefined, 'cy').state).toBe('refused');
    expect(fleet.command(approval(3, 2), undefined, 'cy').state).toBe('refused');
    expect(fleet.state).toMatchObject({
      ...{ pendingLimits: null, policy: { inFlight: 2, unproven: 2 } },
    });
  });

  it('of which one was asked for leave the other as it is by then', () => {
    const fleet = new GivenFleet();
    fleet.command(set(3, null));
    const { policy } = fleet.state;
    fleet.state = { ...fleet.state, policy: { ...policy, unproven: 3 } };
    expect(fleet.command(approval(3, 4), undefined, 'cy').state).toBe('refused');
    expect(fleet.command(approval(3, 3), undefined, 'cy').state).toBe('applied');
    expect(fleet.state.policy).toMatchObject({ inFlight: 3, unproven: 3 });
  });

  it('that an older build was asked for are both meant', () => {
    const fleet = new GivenFleet();
    const pendingLimits = { inFlight: 3, unproven: 9, actor: 'bo', atMs: 1000 };
    fleet.state = { ...fleet.state, pendingLimits };
    fleet.command(approval(3, 9), undefined, 'cy');
    expect(fleet.state.policy).toMatchObject({ inFlight: 3, unproven: 9 });
  });

  it('expire', () => {
    const fleet = new GivenFleet();
    fleet.command(set(3, null));
    expect(nextTickMs(fleet.state)).toBe(1000 + 24 * HOUR);
    fleet.tick(24 * HOUR);
    expect(fleet.command(approval(3, 4), undefined, 'cy').state).toBe('refused');
  });

  it('can be rejected', () => {
    const fleet = new GivenFleet();
    fleet.command(set(3, null));
    expect(fleet.command({ verb: 'reject', subject: { kind: 'limits' } }).state).toBe('applied');
    expect(fleet.command(approval(3, 4), undefined, 'cy').state).toBe('refused');
  });

  it.each([
    [0, null],
    [3, 2],
  ])('of %s in flight and %s unproven are refused', (inFlight, unproven) => {
    expect(new GivenFleet().command(set(inFlight, unproven)).state).toBe('refused');
  });
});
