import { describe, expect, it } from '@jest/globals';
import { PAYLOAD_TYPE, type Envelope } from '../../../domain/authority/signed-envelope.js';
import type { MemberOrder } from '../../../domain/run/membership.js';
import type { RunEvent } from '../../../domain/run/run-state.js';
import type { Target } from '../../../domain/vocabulary.js';
import {
  blocked,
  BY,
  command,
  does,
  failed,
  FENCED,
  finished,
  GivenRun,
  LOOKED,
  MEMBER,
  order,
  PARK,
} from './given-run.js';

const envelope = (payload: string): Envelope => ({
  ...{ payloadType: PAYLOAD_TYPE, payload, signatures: [] },
});
const [ONE, TWO] = [envelope('one'), envelope('two')];

/** An order to a run that people signed. */
const bound = (given: MemberOrder, grant = 1): RunEvent => ({
  ...order(given, { grant }),
  isBound: true,
});
const turn = (target: Target, signed?: Envelope, grant = 1): RunEvent =>
  bound({ kind: 'turn', target, by: BY, byPerson: true, ...(signed && { signed }) }, grant);
const grant = (given: { signed?: Envelope; retry?: Envelope; target?: Target }, at = 2): RunEvent =>
  bound({ kind: 'grant', target: 'ccm', by: BY, ...given }, at);

const member = (decision = does()): GivenRun => new GivenRun([decision], {}, MEMBER);
const heldForPerson = (): GivenRun => member().stepping().on(failed('ForeignEdit'), FENCED, LOOKED);

/** All who can write to the namespace can send an order; only people can sign. */
describe('an order to a run that people signed', () => {
  it('turns it with a command that it has not followed before', () => {
    const run = member().stepping().on(turn('kcm', ONE), finished());
    expect(run.state).toMatchObject({ direction: { target: 'kcm' }, signed: [ONE] });
    run.on(FENCED, LOOKED, turn('ccm', TWO));
    expect(run.state).toMatchObject({ direction: { target: 'ccm' }, signed: [TWO] });
    run.on(turn('kcm', ONE, 2));
    expect(run.state.direction.target).toBe('ccm');
  });

  it('does not turn it with a command that was given to the run itself', () => {
    const run = member().stepping().on(finished());
    run.on(command('rollBack', { signed: ONE }), FENCED, LOOKED);
    run.on(command('rollForward', { signed: TWO }), FENCED, LOOKED);
    expect(run.state.direction.target).toBe('ccm');
    run.on(turn('kcm', ONE));
    expect(run.state.direction.target).toBe('ccm');
    run.on(grant({ signed: ONE, target: 'kcm' }));
    expect(run.state.direction.target).toBe('ccm');
  });

  it('without a command turns it back only: a worker asks whether its policy may', () => {
    const run = heldForPerson().on(turn('kcm'));
    expect(run.state.direction.target).toBe('kcm');
    run.on(FENCED, LOOKED, turn('ccm', undefined, 2));
    expect(run.state.direction.target).toBe('kcm');
  });

  it('without a command tries nothing again that waits for a person', () => {
    for (const sent of [turn('ccm'), grant({}), grant({ signed: ONE })]) {
      const run = heldForPerson();
      const { holdReason } = run.state.problems;
      run.on(sent);
      expect(run.state.problems.holdReason).toEqual(holdReason);
      expect(run.state.triedBy).toBeUndefined();
    }
  });

  it.each([
    ['a slot', grant({ retry: ONE })],
    ['a turn the way it goes', turn('ccm', ONE)],
  ])('tries it again by the word that comes with %s, once, and a worker is told', (_, sent) => {
    const run = heldForPerson().on(sent);
    expect(run.last.kind).toBe('takeFence');
    expect(run.state).toMatchObject({ triedBy: ONE, problems: { holdReason: null } });
    run.on(FENCED, LOOKED, failed('ForeignEdit'), FENCED, LOOKED);
    const { holdReason } = run.state.problems;
    expect(holdReason).not.toBeNull();
    run.on(grant({ retry: ONE }, 3));
    expect(run.state.problems.holdReason).toEqual(holdReason);
    run.on(grant({ retry: TWO }, 4));
    expect(run.state).toMatchObject({ triedBy: TWO, problems: { holdReason: null } });
  });

  it('gives a slot to what heals by itself, without a word', () => {
    const run = member(blocked()).stepping();
    expect(run.on(PARK, grant({})).last.kind).toBe('observe');
    expect(run.state.membership).toMatchObject({ slot: 'held' });
  });

  it('a word counts for its direction', () => {
    const run = heldForPerson().on(grant({ retry: ONE }), turn('kcm', TWO, 2));
    expect(run.state).toMatchObject({ direction: { target: 'kcm' }, signed: [TWO] });
    expect(run.state.triedBy).toBeUndefined();
  });
});
