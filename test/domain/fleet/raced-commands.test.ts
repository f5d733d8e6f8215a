import { describe, expect, it } from '@jest/globals';
import type { FleetOrder, FleetScope } from '../../../domain/fleet/fleet-command.js';
import type { FleetAction } from '../../../domain/fleet/fleet-events.js';
import { advanceFleet } from '../../../domain/fleet/advance-fleet.js';
import type { FleetState } from '../../../domain/fleet/fleet-state.js';
import {
  BACK_AGAIN,
  FAILED,
  GivenFleet,
  HELD,
  PARKED,
  rowPlans,
  rows,
  SOAKING,
  STALLED,
  WAVE,
} from './given-fleet.js';

const FLEET: FleetScope = { kind: 'fleet' };
const WAVES: readonly FleetScope[] = [
  { kind: 'wave', wave: 0 },
  { kind: 'wave', wave: 1 },
];
const SCOPES: readonly FleetScope[] = [
  FLEET,
  ...WAVES,
  { kind: 'group', group: 'region=r0' },
  rows(0),
  rows(1, 2),
];

type Given = readonly [order: FleetOrder, scope: FleetScope];

const everywhere = (order: FleetOrder): readonly Given[] => SCOPES.map((scope) => [order, scope]);
const inFleet = (order: FleetOrder): Given => [order, FLEET];
const HIGHER = { inFlight: 6, unproven: 9 };
const seen = { planDigest: 'sha256:plan', revision: 1 };

/** Every verb, on everything that it can be about. */
const COMMANDS: readonly Given[] = [
  ...everywhere({ verb: 'pause' }),
  ...everywhere({ verb: 'resume' }),
  ...everywhere({ verb: 'freeze' }),
  ...everywhere({ verb: 'unfreeze' }),
  ...everywhere({ verb: 'skip' }),
  ...everywhere({ verb: 'retry', only: { kind: 'all' } }),
  ...everywhere({ verb: 'stop' }),
  ...everywhere({ verb: 'rollBack' }),
  ...everywhere({ verb: 'rollForward' }),
  ...WAVES.map((scope): Given => [{ verb: 'open' }, scope]),
  inFleet({ verb: 'approve', subject: { kind: 'before', wave: 1 }, ...seen }),
  inFleet({ verb: 'approve', subject: { kind: 'limits' }, ...seen, limits: HIGHER }),
  inFleet({ verb: 'reject', subject: { kind: 'before', wave: 1 } }),
  inFleet({ verb: 'reject', subject: { kind: 'limits' } }),
  inFleet({ verb: 'set', inFlight: 1, unproven: 3 }),
  inFleet({ verb: 'set', inFlight: 9, unproven: 30 }),
  inFleet({ verb: 'budget', clusters: 7 }),
];

/** A fleet with rows in every phase, a wave that waits for approval and limits that wait for another person. */
function busyFleet(): GivenFleet {
  const fleet = new GivenFleet(
    {
      waves: [WAVE, { ...WAVE, name: 'last', approvals: { before: 1, after: 0 } }],
      rows: rowPlans(
        ...[0, 1, 0, 1, 0, 1, 0, 1].map((region) => ({ groups: [`region=r${region}`] })),
        { wave: 1, groups: ['region=r0'] },
      ),
    },
    { inFlight: 5, unproven: 8, caps: { region: 4 } },
  );
  fleet.report(0, SOAKING).report(1, HELD).report(1, PARKED).report(2, STALLED);
  fleet.prove(3).report(4, FAILED).report(5, BACK_AGAIN);
  fleet.command({ verb: 'set', ...HIGHER }, FLEET, 'dan');
  return fleet;
}

interface Sent {
  readonly id: string;
  readonly actor: string;
  readonly given: Given;
}

function deliver(state: FleetState, sent: readonly Sent[]): Delivered {
  const actions: FleetAction[] = [];
  const delivered = sent.reduce((current, { id, actor, given: [order, scope] }) => {
    const command = {
      commandId: id,
      actor,
      reason: 'at night',
      fleetRun: current.fleetRun,
      scope,
      order,
    };
    const next = advanceFleet(current, { kind: 'command', atMs: current.nowMs, command });
    actions.push(...next.actions);
    return next.state;
  }, state);
  return { state: delivered, actions };
}

interface Delivered {
  readonly state: FleetState;
  readonly actions: readonly FleetAction[];
}

const PAIRS = COMMANDS.flatMap((one) => COMMANDS.map((other) => [one, other] as const));

function raced([one, other]: readonly [Given, Given]): readonly [Sent, Sent] {
  return [
    { id: 'of bo', actor: 'bo', given: one },
    { id: 'of cy', actor: 'cy', given: other },
  ];
}

const name = ([order, scope]: Given): string => `${order.verb} ${JSON.stringify(scope)}`;
const { state: BUSY } = busyFleet();

function failing(check: (pair: readonly [Sent, Sent]) => boolean): readonly string[] {
  return PAIRS.filter((pair) => !check(raced(pair))).map(([one, other]) =>
    [one, other].map(name).join(' then '),
  );
}

describe('two operators who command a fleet at the same time', () => {
  it('find rows in every state that commands differ on', () => {
    expect(new Set(BUSY.rows.map(({ phase }) => phase))).toEqual(
      new Set(['soaking', 'parked', 'stalled', 'proven', 'failed', 'back', 'active', 'waiting']),
    );
    expect(BUSY.pendingLimits).not.toBeNull();
  });

  it('both get one answer with their name on it, and a refusal says why', () => {
    const isTold = (pair: readonly [Sent, Sent]): boolean => {
      const { answers } = deliver(BUSY, pair).state;
      return pair.every(({ id, actor, given: [{ verb }] }) => {
        const answer = answers[id];
        return answer?.actor === actor && answer.verb === verb && answer.detail !== '';
      });
    };
    expect(failing(isTold)).toEqual([]);
  });

  it('see one order of events: commands that arrive again, in any order, change nothing', () => {
    const isOnce = ([one, other]: readonly [Sent, Sent]): boolean => {
      const once = deliver(BUSY, [one, other]);
      const again = deliver(once.state, [other, one, other]);
      return (
        again.actions.length === 0 && JSON.stringify(again.state) === JSON.stringify(once.state)
      );
    };
    expect(failing(isOnce)).toEqual([]);
  });

  it('cannot have a cluster both stop and go on', () => {
    const isClear = (pair: readonly [Sent, Sent]): boolean => {
      const { actions } = deliver(BUSY, pair);
      const withdrawn = new Set<number>();
      return actions.every((action) => {
        if (action.kind === 'withdraw') withdrawn.add(action.row);
        const goesOn = ['start', 'grant', 'turn'].includes(action.kind);
        return !goesOn || !('row' in action) || !withdrawn.has(action.row);
      });
    };
    expect(failing(isClear)).toEqual([]);
  });

  it('are told that the fleet stops when the other one stopped it', () => {
    const stop = { id: 'stop', actor: 'cy', given: [{ verb: 'stop' }, FLEET] } as const;
    const late = COMMANDS.map((given) => ({ id: 'late', actor: 'bo', given }));
    const answers = late.map((sent) => deliver(BUSY, [stop, sent]).state.answers['late']);
    expect(new Set(answers.map((answer) => answer?.state))).toEqual(new Set(['refused']));
  });
});
