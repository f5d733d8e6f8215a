import { describe, expect, it } from '@jest/globals';
import { PAYLOAD_TYPE, type Envelope } from '../../../domain/authority/signed-envelope.js';
import { readFleetCommand } from '../../../domain/fleet/read-fleet-command.js';
import { readCommand } from '../../../domain/run/operator-command.js';
import { readOrder } from '../../../domain/run/read-order.js';
import { withActions, EMPTY_OUTBOX } from '../../../domain/fleet/fleet-outbox.js';
import { GivenFleet, rowPlans, rows } from '../fleet/given-fleet.js';
import { blocked, command, does, finished, GivenRun, MEMBER, order } from './given-run.js';

const signed = (name: string): Envelope => ({
  ...{ payloadType: PAYLOAD_TYPE, payload: name, signatures: [{ keyid: 'k', sig: 's' }] },
});
const [BACK, FORTH, RETRY] = [signed('back'), signed('forth'), signed('retry')];
const BY = { actor: 'bo', reason: 'CHG-2' };

describe('what a direction rests on', () => {
  it('is the turn that was signed last, and nothing that turns nothing', () => {
    const run = new GivenRun([blocked()]).stepping();
    run.on(command('retry', { signed: RETRY }));
    expect(run.state.signed).toBeUndefined();
    run.on(command('rollBack', { signed: BACK }));
    expect(run.state.signed).toEqual([BACK]);
    run.on(command('rollForward', { signed: FORTH }));
    expect(run.state.signed).toEqual([FORTH]);
  });

  it('is not a command that was refused', () => {
    const run = new GivenRun([blocked()]).stepping().on(command('rollForward', { signed: FORTH }));
    expect(run.state.signed).toBeUndefined();
  });

  it('is kept by a turn that is not signed', () => {
    const run = new GivenRun([blocked()]).stepping().on(command('rollBack', { signed: BACK }));
    expect(run.on(command('rollForward')).state.signed).toEqual([BACK]);
  });

  it('comes with the order of a fleet, as it was signed', () => {
    const member = new GivenRun([blocked()], {}, MEMBER).stepping();
    member.on(order({ kind: 'turn', target: 'kcm', by: BY, byPerson: true, signed: BACK }));
    expect(member.state.signed).toEqual([BACK]);
  });

  it('is nothing where a fleet turns by its own policy', () => {
    const member = new GivenRun([blocked()], {}, MEMBER).stepping();
    member.on(order({ kind: 'turn', target: 'kcm', by: BY, byPerson: false }));
    expect(member.state.signed).toBeUndefined();
  });
});

describe('a command whose sender may not give it', () => {
  it('is answered, and disturbs nothing', () => {
    const run = new GivenRun([does()]).stepping();
    const before = run.state.inFlight;
    run.on({ kind: 'commandRefused', commandId: 'c9', why: 'its key is not in the policy' });
    expect(run.state.inFlight).toEqual(before);
    expect(run.state.commands.answers['c9']).toEqual({
      ...{ state: 'refused', detail: 'CCM4035: its key is not in the policy' },
    });
  });

  it('is refused where the run has ended before a worker said whose it is', () => {
    const run = new GivenRun([does()]).stepping().on(command('stop'), finished());
    expect(run.last.kind).toBe('finish');
    run.on({ kind: 'commandUnheard', commandId: 'c9' });
    expect(run.state.commands.answers['c9']).toEqual({
      state: 'refused',
      detail: 'the run ended before a worker had said who signed it; it had no effect',
    });
  });
});

describe('a signature that was sent', () => {
  const sent = { commandId: 'c', verb: 'retry', actor: 'a', reason: 'r', ticket: '' };
  const fleetCommand = { ...sent, scope: { kind: 'fleet' }, order: { verb: 'pause' } };
  const message = { fleetRun: 'f', row: 0, grant: 1 };
  const grant = { kind: 'grant', target: 'ccm', by: BY };

  it.each<[string, unknown, boolean]>([
    ['is read with the command', BACK, true],
    ['is left out where it is none', { ...BACK, signatures: [] }, false],
  ])('%s', (_, given, isRead) => {
    const expected = isRead ? { signed: BACK } : {};
    const run = readCommand({ ...sent, signed: given });
    expect(run.kind === 'command' ? run.command.signed : null).toEqual(isRead ? BACK : undefined);
    const fleet = readFleetCommand({ ...fleetCommand, signed: given });
    expect(fleet.kind === 'command' ? fleet.command.signed : null).toEqual(
      isRead ? BACK : undefined,
    );
    const read = readOrder({ ...message, order: { ...grant, signed: given } });
    expect(read?.order).toEqual({ ...grant, ...expected });
    const turn = { ...grant, kind: 'turn', byPerson: true };
    expect(readOrder({ ...message, order: { ...turn, signed: given } })?.order).toEqual({
      ...turn,
      ...expected,
    });
  });

  it('goes with the orders and starts that a fleet sends', () => {
    const fleet = new GivenFleet({ rows: rowPlans({}) });
    const forRow = () => ({ ...BY, signed: BACK });
    const [start] = withActions(
      EMPTY_OUTBOX,
      { state: fleet.state, actions: fleet.actions },
      {
        ...{ forRow, now: BY },
      },
    ).starts;
    expect(start).toMatchObject({ ...BY, signed: BACK });
    fleet.command({ verb: 'rollBack' }, rows(0));
    const [turn] = withActions(
      EMPTY_OUTBOX,
      { state: fleet.state, actions: fleet.actions },
      {
        ...{ forRow, now: BY },
      },
    ).messages;
    expect(turn?.order).toMatchObject({ kind: 'turn', by: BY, signed: BACK });
  });
});
