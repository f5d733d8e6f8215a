import { describe, expect, it } from '@jest/globals';
import {
  EMPTY_OUTBOX,
  type FleetOutbox,
  takeMessages,
  takeStarts,
  withActions,
} from '../../../domain/fleet/fleet-outbox.js';
import { PAYLOAD_TYPE } from '../../../domain/authority/signed-envelope.js';
import { GivenFleet, HELD, PARKED, rowPlans, rows, SOAKING, WAVE } from './given-fleet.js';

const ANA = { actor: 'ana', reason: 'CHG-1' };
const BO = { actor: 'bo', reason: 'CHG-2' };
const ASKED = { forRow: () => ANA, now: BO };

/** The outbox of a fleet after what it was told last. */
function outboxOf(fleet: GivenFleet, before: FleetOutbox = EMPTY_OUTBOX): FleetOutbox {
  return withActions(before, { state: fleet.state, actions: fleet.actions }, ASKED);
}

const KEPT_BACK = [{ row: 0, grant: 1, answer: 'keptBack' }];

function two(): GivenFleet {
  return new GivenFleet({ rows: rowPlans({}, {}) });
}

function sent({ messages }: FleetOutbox) {
  return messages.map(({ row, grant, order }) => ({ row, grant, ...order }));
}

describe('the outbox of a fleet', () => {
  it('a start names who asked for the row', () => {
    expect(outboxOf(two()).starts).toEqual([
      { row: 0, grant: 1, target: 'ccm', ...ANA },
      { row: 1, grant: 1, target: 'ccm', ...ANA },
    ]);
  });

  it('orders say who gave them: the person of the command, or who asked for the row', () => {
    const fleet = two();
    fleet.command({ verb: 'pause' });
    const paused = outboxOf(fleet);
    expect(sent(paused)).toEqual(
      [0, 1].map((row) => ({ row, grant: 1, kind: 'brake', commandId: 'command-1', by: BO })),
    );
    fleet.command({ verb: 'resume' });
    expect(sent(outboxOf(fleet))).toMatchObject([{ kind: 'release' }, { kind: 'release' }]);
    fleet.command({ verb: 'rollBack' }, rows(0));
    expect(sent(outboxOf(fleet))).toEqual([
      { row: 0, grant: 1, kind: 'turn', target: 'kcm', by: ANA, byPerson: true },
    ]);
    fleet.command({ verb: 'stop' }, rows(0));
    expect(sent(outboxOf(fleet))).toEqual([{ row: 0, grant: 1, kind: 'withdraw', by: BO }]);
  });

  it('a slot that is taken back and given again are orders of their grants', () => {
    const fleet = two();
    const held = { kind: 'held', heals: true, changed: true, signature: 's' } as const;
    fleet.report(0, { ...held, reversibility: 'yes' }).tick(11 * 60_000);
    expect(sent(outboxOf(fleet))).toEqual([{ row: 0, grant: 1, kind: 'park' }]);
    fleet.report(0, { kind: 'parked' }).report(0, { kind: 'ready' });
    expect(sent(outboxOf(fleet))).toEqual([
      { row: 0, grant: 2, kind: 'grant', target: 'ccm', by: ANA },
    ]);
  });

  it('a slot carries the word that asked for another try, and what the direction rests on', () => {
    const word = { payloadType: PAYLOAD_TYPE, payload: 'e30=', signatures: [] } as const;
    const asked = { forRow: () => ({ ...ANA, signed: word, retry: word }), now: BO };
    const { state } = two();
    const actions = [{ kind: 'grant', row: 0, grant: 2, target: 'ccm' }] as const;
    expect(sent(withActions(EMPTY_OUTBOX, { state, actions }, asked))).toEqual([
      { row: 0, grant: 2, kind: 'grant', target: 'ccm', by: ANA, signed: word, retry: word },
    ]);
  });
});

describe('starts that may begin', () => {
  it('are so many at once, in their order', () => {
    const fleet = two();
    const { taken, left, answers } = takeStarts(outboxOf(fleet), fleet.state, 1);
    expect([taken, left].map((each) => each.map(({ row }) => row))).toEqual([[0], [1]]);
    expect(answers).toEqual([]);
  });

  it('one that a stop overtook does not begin: the rule is told that it was not started', () => {
    const fleet = two();
    const outbox = outboxOf(fleet);
    fleet.command({ verb: 'stop' }, rows(0));
    const { taken, left, answers } = takeStarts(outbox, fleet.state, 32);
    expect(taken.map(({ row }) => row)).toEqual([1]);
    expect(left).toEqual([]);
    for (const answer of answers) fleet.tell({ ...answer, atMs: fleet.atMs });
    expect(fleet.phases()).toEqual(['stopped', 'active']);
  });

  it('one that a pause overtook gives its place back and waits for the release, a rollback does not', () => {
    const fleet = two();
    const outbox = outboxOf(fleet);
    fleet.command({ verb: 'pause' }, rows(0));
    const { taken, left, answers } = takeStarts(outbox, fleet.state, 32);
    expect([taken.map(({ row }) => row), left]).toEqual([[1], []]);
    const back = outbox.starts.map((start) => ({ ...start, target: 'kcm' as const }));
    expect(takeStarts({ ...outbox, starts: back }, fleet.state, 32).taken).toHaveLength(2);
    const braked = outboxOf(fleet);
    for (const answer of answers) fleet.tell({ ...answer, atMs: fleet.atMs });
    expect(fleet.row(0)).toMatchObject({ phase: 'waiting', requeues: 0, changeFromMs: null });
    expect(fleet.waits(0)).toBe('paused');
    expect(takeMessages(braked, fleet.state, 99, [])).toEqual({ taken: [], left: [] });
    fleet.command({ verb: 'resume' }, rows(0));
    expect(fleet.actions).toContainEqual({ kind: 'start', row: 0, grant: 2, target: 'ccm' });
  });

  it('one that a new plan overtook waits until its wave is approved again, a rollback does not', () => {
    const waves = [{ ...WAVE, approvals: { before: 1, after: 0 } }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({}) });
    const approve = { verb: 'approve', subject: { kind: 'before', wave: 0 }, revision: 1 } as const;
    fleet.command({ ...approve, planDigest: 'sha256:plan' }, { kind: 'wave', wave: 0 }, 'bo');
    const outbox = outboxOf(fleet);
    expect(takeStarts(outbox, fleet.state, 32).taken).toHaveLength(1);
    const [begun] = fleet.state.waves;
    if (begun === undefined) throw new Error('it has a wave');
    const unapproved = { ...begun, begunMs: null, approvedBefore: [] };
    const again = { ...fleet.state, waves: [unapproved] };
    expect(takeStarts(outbox, again, 32)).toMatchObject({ taken: [], answers: KEPT_BACK });
    const back = outbox.starts.map((start) => ({ ...start, target: 'kcm' as const }));
    expect(takeStarts({ ...outbox, starts: back }, again, 32).taken).toHaveLength(1);
    const over = { ...again, waves: [{ ...unapproved, over: true }] };
    expect(takeStarts(outbox, over, 32).taken).toHaveLength(1);
  });

  it('those of a row that has moved on are void', () => {
    const fleet = two();
    const [start] = outboxOf(fleet).starts;
    if (start === undefined) throw new Error('nothing starts');
    const starts = [
      { ...start, grant: 9 },
      { ...start, row: 9 },
    ];
    expect(takeStarts({ messages: [], starts }, fleet.state, 32)).toEqual({
      ...{ taken: [], left: [], answers: [] },
    });
    fleet.prove(0);
    expect(takeStarts({ messages: [], starts: [start] }, fleet.state, 32).taken).toEqual([]);
  });
});

describe('messages that may be sent together', () => {
  const paused = (fleet: GivenFleet, before?: FleetOutbox): FleetOutbox => {
    fleet.command({ verb: 'pause' });
    const outbox = outboxOf(fleet, before);
    fleet.command({ verb: 'resume' });
    return outboxOf(fleet, outbox);
  };
  const kinds = (messages: FleetOutbox['messages']) =>
    messages.map(({ row, order }) => `${row} ${order.kind}`);

  it('are one for each row, so that its orders keep their order', () => {
    const fleet = two();
    const { taken, left } = takeMessages(paused(fleet), fleet.state, 99, []);
    expect(kinds(taken)).toEqual(['0 brake', '1 brake']);
    expect(kinds(left)).toEqual(['0 release', '1 release']);
  });

  it('are so many at once', () => {
    const fleet = two();
    const { taken, left } = takeMessages(paused(fleet), fleet.state, 1, []);
    expect(kinds(taken)).toEqual(['0 brake']);
    expect(kinds(left)).toEqual(['1 brake', '0 release', '1 release']);
  });

  it('wait for the start of their row', () => {
    const fleet = two();
    const unsent = outboxOf(fleet);
    expect(takeMessages(paused(fleet, unsent), fleet.state, 99, []).taken).toEqual([]);
    const { taken } = takeMessages(paused(fleet), fleet.state, 99, [0]);
    expect(kinds(taken)).toEqual(['1 brake']);
  });

  it('a park is void when its run has gone on before it was told', () => {
    const fleet = two().report(0, HELD).report(1, HELD);
    const outbox = outboxOf(fleet, outboxOf(two().report(0, HELD)));
    const messages = outbox.messages.filter(({ order }) => order.kind === 'park');
    expect(messages.map(({ row }) => row)).toEqual([0, 1]);
    fleet.report(0, SOAKING);
    const { taken, left } = takeMessages({ starts: [], messages }, fleet.state, 99, []);
    expect([kinds(taken), left]).toEqual([['1 park'], []]);
    fleet.report(1, PARKED);
    expect(takeMessages({ starts: [], messages }, fleet.state, 99, []).taken).toHaveLength(1);
  });

  it('those for a run that has ended are void', () => {
    const fleet = two();
    const outbox = paused(fleet);
    fleet.prove(0, 1);
    expect(takeMessages(outbox, fleet.state, 99, [])).toEqual({ taken: [], left: [] });
    const [message] = outbox.messages;
    const messages = message === undefined ? [] : [{ ...message, row: 9 }];
    expect(takeMessages({ starts: [], messages }, fleet.state, 99, []).left).toEqual([]);
  });
});
