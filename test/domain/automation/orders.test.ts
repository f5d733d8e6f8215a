import { describe, expect, it } from '@jest/globals';
import type { Alert, AlertGroup } from '../../../domain/automation/alert.js';
import {
  isLive,
  mayCommand,
  type AutomationToken,
  type CommandedRun,
} from '../../../domain/automation/automation-token.js';
import { HOOK_OUTCOMES, hookStatus } from '../../../domain/automation/hook-answer.js';
import { noteIdOf, ordersForRuns } from '../../../domain/automation/orders-for-runs.js';
import { takeOne } from '../../../domain/automation/rate.js';
import {
  requestedOrders,
  type RequestedOrder,
} from '../../../domain/automation/requested-orders.js';

const NOW = 1_000_000;

function alert(changes: Partial<Alert> = {}): Alert {
  return {
    ...{ fingerprint: 'f', status: 'firing', startsAtMs: NOW - 60_000, endsAtMs: null },
    ...{ labels: { cluster: 'prod-1' }, verb: null, summary: 's', ...changes },
  };
}

function group(alerts: readonly Alert[], changes: Partial<AlertGroup> = {}): AlertGroup {
  return { groupKey: 'g', truncated: 0, groupLabels: {}, alerts, ...changes };
}

const read = (given: Alert) => requestedOrders(group([given]), NOW);

describe('what alerts ask for', () => {
  it.each([
    [
      { cluster_uid: 'u', cluster: 'c', fleet: 'f' },
      { kind: 'uid', uid: 'u' },
    ],
    [
      { cluster: 'c', fleet: 'f', region: 'r' },
      { kind: 'cluster', name: 'c' },
    ],
    [
      { fleet: 'f', region: 'r' },
      { kind: 'fleet', name: 'f' },
    ],
    [{ region: 'r' }, { kind: 'area', region: 'r', wave: null }],
    [{ wave: 'w' }, { kind: 'area', region: null, wave: 'w' }],
  ])('the narrowest label counts: %j', (labels, target) => {
    expect(read(alert({ labels })).orders).toMatchObject([{ target, verb: 'pause', instead: '' }]);
  });

  it.each([{}, { cluster: '' }, { cluster: `a' OR 'b` }, { fleet: 'a/b' }, { region: '-' }])(
    'labels that name nothing usable select nothing: %j',
    (labels) => {
      expect(read(alert({ labels }))).toMatchObject({
        orders: [],
        ignored: [{ outcome: 'noTarget' }],
      });
    },
  );

  it('a rollback is asked for by its word, in any case, and every other word is refused', () => {
    expect(read(alert({ verb: 'rollback' })).orders).toMatchObject([{ verb: 'rollBack' }]);
    for (const verb of ['approve', 'skip', 'resume', 'retry', 'start', '']) {
      expect(read(alert({ verb })).ignored).toMatchObject([{ outcome: 'badVerb' }]);
    }
  });

  it('an alert of the future began now at the latest, and only pauses', () => {
    const [order] = read(alert({ verb: 'rollBack', startsAtMs: NOW + 3_600_000 })).orders;
    expect(order).toMatchObject({ verb: 'pause', alertSinceMs: NOW });
    expect(order?.instead).toContain('future');
  });

  it('an alert about a wave or a region of a fleet pauses the fleet, and does not turn all of it', () => {
    for (const part of [{ wave: 'main' }, { region: 'r1' }]) {
      const [order] = read(alert({ verb: 'rollBack', labels: { fleet: 'eu', ...part } })).orders;
      expect(order).toMatchObject({ verb: 'pause', target: { kind: 'fleet', name: 'eu' } });
      expect(order?.instead).toContain('part of the fleet');
    }
    const whole = read(alert({ verb: 'rollBack', labels: { fleet: 'eu' } })).orders;
    expect(whole).toMatchObject([{ verb: 'rollBack' }]);
  });

  it('an alert that is over is a note since its end, or since now', () => {
    const over = alert({ status: 'resolved', endsAtMs: 7 });
    expect(read(over).orders).toMatchObject([{ overSinceMs: 7 }]);
    expect(read({ ...over, endsAtMs: null }).orders).toMatchObject([{ overSinceMs: NOW }]);
  });

  it('where alerts were left out the labels of the group are paused, and nothing rolls back', () => {
    const given = group([alert({ verb: 'rollBack' }), alert({ startsAtMs: 5 })], {
      ...{ truncated: 4, groupLabels: { region: 'r1' } },
    });
    const { orders } = requestedOrders(given, NOW);
    expect(orders.map(({ verb }) => verb)).toEqual(['pause', 'pause', 'pause']);
    expect(orders[0]?.instead).toContain('left alerts out');
    expect(orders[2]).toMatchObject({
      ...{ target: { kind: 'area', region: 'r1' }, alertSinceMs: NOW - 60_000 },
    });
    const empty = requestedOrders({ ...given, alerts: [] }, NOW).orders;
    expect(empty).toMatchObject([{ alertSinceMs: NOW }]);
  });
});

const TOKEN: AutomationToken = {
  ...{ name: 'am', sha256: '0'.repeat(64), expiresAtMs: NOW, verbs: ['pause', 'rollBack'] },
  ...{ clusters: ['prod-*', 'exact'], fleets: ['eu'] },
};

function run(name: string, fleet = ''): CommandedRun {
  const id = { workflowId: `cluster-migration/${name}`, runId: `first-${name}` };
  return { kind: 'cluster', ...id, name, uid: `uid-${name}`, fleet };
}

const FLEET: CommandedRun = {
  ...{ kind: 'fleet', workflowId: 'fleet-migration/eu', runId: 'r', name: 'eu' },
};

describe('scopes of tokens', () => {
  it.each([
    ['prod-*', 'prod-1', true],
    ['prod-*', 'xprod-1', false],
    ['*-eu-*', 'prod-eu-1', true],
    ['*-eu-*', 'prod-us-1', false],
    ['a*b*c', 'abc', true],
    ['ab*ba', 'aba', false],
    ['*', 'any', true],
    ['*', '', false],
    ['exact', 'exact', true],
    ['exact', 'exactly', false],
  ])('%s and the name %j: %j', (pattern, name, is) => {
    const token = { ...TOKEN, clusters: [pattern], fleets: [] };
    expect(mayCommand(token, 'pause', { ...run(name), uid: '' } as CommandedRun)).toBe(is);
  });

  it('a run is reached by its name, its UID or its fleet, a fleet by its name, and each verb by itself', () => {
    expect(mayCommand(TOKEN, 'pause', run('exact'))).toBe(true);
    expect(mayCommand({ ...TOKEN, clusters: ['uid-b'] }, 'pause', run('b'))).toBe(true);
    expect(mayCommand(TOKEN, 'pause', run('b', 'eu'))).toBe(true);
    expect(mayCommand(TOKEN, 'pause', run('b', 'us'))).toBe(false);
    expect(mayCommand(TOKEN, 'pause', FLEET)).toBe(true);
    expect(mayCommand({ ...TOKEN, fleets: [] }, 'pause', FLEET)).toBe(false);
    expect(mayCommand({ ...TOKEN, verbs: ['pause'] }, 'rollBack', FLEET)).toBe(false);
  });

  it('a token counts until it expires', () => {
    expect([isLive(TOKEN, NOW - 1), isLive(TOKEN, NOW)]).toEqual([true, false]);
  });
});

describe('orders for runs', () => {
  const asking = { token: TOKEN, groupKey: 'g' };
  const order = (changes: Partial<Alert> = {}): RequestedOrder => {
    const [first] = read(alert(changes)).orders;
    if (first === undefined) throw new Error('no order');
    return first;
  };
  const idOf = (given: RequestedOrder, to: CommandedRun, by = asking): string =>
    ordersForRuns(by, [{ order: given, runs: [to] }]).orders[0]?.commandId ?? '';

  it('the id of a command changes with token, group, alert, its start, verb and run, and with nothing else', () => {
    const base = idOf(order(), run('prod-1'));
    expect(idOf(order({ summary: 'other', labels: { cluster: 'x' } }), run('prod-1'))).toBe(base);
    const others = [
      idOf(order(), run('prod-1'), { ...asking, token: { ...TOKEN, name: 'b' } }),
      idOf(order(), run('prod-1'), { ...asking, groupKey: 'h' }),
      idOf(order({ fingerprint: 'z' }), run('prod-1')),
      idOf(order({ startsAtMs: 1 }), run('prod-1')),
      idOf(order({ verb: 'rollBack' }), run('prod-1')),
      idOf(order(), run('prod-2')),
      idOf(order(), { ...run('prod-1'), runId: 'later' }),
    ];
    expect(new Set([base, ...others]).size).toBe(others.length + 1);
  });

  it('a run gets one order: a rollback before a pause, and of several the youngest', () => {
    const runs = [run('prod-1')];
    const given = [
      { order: order({ startsAtMs: 10 }), runs },
      { order: order({ startsAtMs: 30 }), runs },
      { order: order({ startsAtMs: 20 }), runs },
    ];
    expect(ordersForRuns(asking, given).orders).toMatchObject([{ alertSinceMs: 30 }]);
    const turn = { order: order({ startsAtMs: 5, verb: 'rollBack' }), runs };
    for (const all of [
      [...given, turn],
      [turn, ...given],
    ]) {
      expect(ordersForRuns(asking, all).orders).toMatchObject([{ verb: 'rollBack' }]);
    }
    const over = { order: order({ status: 'resolved', endsAtMs: 9 }), runs };
    const both = ordersForRuns(asking, [turn, over]).orders;
    expect(both).toHaveLength(2);
    const [first, note] = both;
    if (first === undefined || note === undefined) throw new Error('no order');
    expect(noteIdOf(note)).not.toBe(noteIdOf(first));
  });

  it('a rollback of several runs pauses them', () => {
    const turn = order({ verb: 'rollBack', labels: { region: 'r' } });
    const { orders } = ordersForRuns(asking, [
      { order: turn, runs: [run('prod-1'), run('prod-2')] },
      { order: order(), runs: [run('prod-3'), run('prod-4')] },
    ]);
    expect(orders.map(({ verb }) => verb)).toEqual(['pause', 'pause', 'pause', 'pause']);
    expect(orders[0]?.instead).toContain('several runs');
  });

  it('a rollback beyond the token pauses; what the token may not do at all is refused, and no run is no match', () => {
    const token = { ...TOKEN, verbs: ['pause' as const] };
    const turn = order({ verb: 'rollBack' });
    const of = (to: readonly CommandedRun[], by: AutomationToken = token) =>
      ordersForRuns({ token: by, groupKey: 'g' }, [{ order: turn, runs: to }]);
    expect(of([run('prod-1')]).orders).toMatchObject([{ verb: 'pause' }]);
    expect(of([run('other')])).toMatchObject({ orders: [], refused: [{ run: { name: 'other' } }] });
    expect(of([])).toMatchObject({ orders: [], unmatched: [turn] });
    const pause = ordersForRuns(asking, [{ order: order(), runs: [run('other')] }]);
    expect(pause.refused).toHaveLength(1);
  });
});

describe('answers and rates', () => {
  it.each([
    [['sent', 'unavailable'], 503],
    [['sent', 'tooMany'], 503],
    [['sent', 'forbidden'], 202],
    [['known'], 202],
    [['rollingBack'], 202],
    [['noted'], 202],
    [['forbidden', 'over'], 403],
    [['unmatched', 'noTarget', 'badVerb', 'over'], 200],
    [[], 200],
  ] as const)('%j is answered with %d', (outcomes, status) => {
    expect(hookStatus(outcomes)).toBe(status);
    expect(outcomes.every((each) => HOOK_OUTCOMES.includes(each))).toBe(true);
  });

  it('a burst is allowed, then so many a minute, and a clock that is set back gives none', () => {
    const rate = { burst: 2, perMinute: 60 };
    const first = takeOne(rate, null, NOW);
    const second = takeOne(rate, first.after, NOW);
    const third = takeOne(rate, second.after, NOW);
    expect([first.taken, second.taken, third.taken]).toEqual([true, true, false]);
    expect(takeOne(rate, third.after, NOW - 60_000).taken).toBe(false);
    expect(takeOne(rate, third.after, NOW + 1_000).taken).toBe(true);
    expect(takeOne(rate, third.after, NOW + 3_600_000).after.left).toBe(1);
  });
});
