import { describe, expect, it } from '@jest/globals';
import type { CountBaseline } from '../../../../domain/gates/counts/count-baseline.js';
import { judgeOwnBook } from '../../../../domain/gates/own/judge-own.js';
import { EMPTY_OWN_BOOK } from '../../../../domain/gates/own/own-book.js';
import {
  afterCountRound,
  type CountReading,
  isUnbegun,
} from '../../../../domain/gates/own/own-counts.js';
import type { ProcessCounts } from '../../../../domain/gates/samples/difference-counters.js';
import { unmeasured } from '../../../../domain/gates/samples/measurement.js';
import { holdsRun, type GateVerdict } from '../../../../domain/gates/verdicts.js';
import { acknowledgedIn } from '../../../../domain/gates/watch/add-round.js';
import { EMPTY_BOOK, type GateBook } from '../../../../domain/gates/watch/gate-book.js';
import type { MetricGatePolicy, OwnCountGate } from '../../../../domain/policy.js';

const SECOND = 1_000;
const START_MS = 1_790_000_000_000;
const UNMEASURED_MS = 60 * SECOND;
const RATIO: OwnCountGate = {
  ...{ name: 'errors', kind: 'ratio', bad: 'calls{code="5"}', total: 'calls', limit: 0.1 },
};
const SLOW: OwnCountGate = {
  ...{ name: 'slow', kind: 'quantile', histogram: 'took', quantile: 0.9, limit: 0.5 },
};
const POLICY: MetricGatePolicy = {
  ...{ catalogue: 'off', except: [], everyMs: 15 * SECOND, unmeasuredMs: UNMEASURED_MS },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

const msAt = (second: number): number => START_MS + second * SECOND;

/** What a process has counted, scraped now unless another time is told; it began an hour before the first round. */
function process(second: number, bad: number, total: number, more: Partial<ProcessCounts> = {}) {
  return {
    ...{ place: 'a', startedAtMs: msAt(-3600), scrapedAtMs: msAt(second) },
    ...{ counts: { bad, total }, ...more },
  };
}

interface Round {
  readonly second: number;
  readonly samples?: readonly ProcessCounts[];
  readonly why?: string;
  readonly down?: readonly string[];
  readonly setup?: string;
  readonly past?: CountBaseline;
}

function bookAfter(rounds: readonly Round[], gate = RATIO, before = EMPTY_BOOK): GateBook {
  return rounds.reduce((book, { second, samples = [], why, down = [], setup = '', past }) => {
    const counts: CountReading['counts'] =
      why === undefined ? { kind: 'measured', value: { samples, down } } : unmeasured(why);
    const reading: CountReading = {
      ...{ gate, counts, clockMs: msAt(second), staleAfterMs: 120 * SECOND },
      past: past ?? null,
    };
    return afterCountRound(book, [reading], { atMs: msAt(second), setup }, policyOf(gate));
  }, before);
}

/** The window since the latest step. */
function windowIn({ gates }: GateBook): object {
  const state = gates['errors'];
  if (state?.kind !== 'counts' || state.watch === null) return {};
  const [atMs, , bad, total, badScrapes] = state.watch.latest;
  return { atMs, bad, total, badScrapes };
}

function policyOf(gate: OwnCountGate): MetricGatePolicy {
  return { ...POLICY, own: [gate] };
}

function saidBy(counted: GateBook, second: number, gate = RATIO): GateVerdict {
  const at = { nowMs: msAt(second), source: 'prometheus.example' };
  const [verdict] = judgeOwnBook({ ...EMPTY_OWN_BOOK, counted }, policyOf(gate), at);
  if (verdict === undefined) throw new Error('a gate says nothing');
  return verdict;
}

function said(rounds: readonly Round[], gate = RATIO): GateVerdict {
  return saidBy(bookAfter(rounds, gate), rounds.at(-1)?.second ?? 0, gate);
}

/** Rounds of 15 s from a first one on, in each of which so many of ten events are bad. */
function steady(count: number, bad: number, from = 0, eventsEach = 10): readonly Round[] {
  return Array.from({ length: count }, (_, index) => {
    const second = from + 15 * index;
    const events = eventsEach * (second / 15 + 1);
    return { second, samples: [process(second, bad * (index + 1), events)] };
  });
}

describe("an operator's own gate that counts", () => {
  it('passes once harm would have shown, with its numbers', () => {
    const verdict = said(steady(40, 0, 0, 50));
    expect(verdict).toMatchObject({
      ...{ gate: 'errors', hardness: 'soft', verdict: 'pass', code: 'CCM3101' },
      detail: expect.stringMatching(/^0 of 1950 events: harm of \d+ % would show$/),
      numbers: {
        ...{ unit: 'ratio', value: 0, limit: 0.1, source: 'prometheus.example' },
        query: 'calls{code="5"} / calls',
      },
    });
  });

  it('holds by a suspicion, and fails where most events are bad', () => {
    const rounds = [...steady(4, 0), ...steady(3, 9, 60)];
    const suspect = said(rounds.slice(0, 6));
    expect(suspect).toMatchObject({ verdict: 'inconclusive', code: 'CCM3102' });
    expect(holdsRun(suspect)).toBe(true);
    expect(said([...rounds, ...steady(6, 9, 105)])).toMatchObject({
      ...{ verdict: 'fail', code: 'CCM3101', numbers: { limit: 0.1 } },
    });
  });

  it('notes that too few events say nothing', () => {
    expect(said(steady(2, 0))).toMatchObject({ verdict: 'inconclusive', noted: true });
  });

  it('judges slow events by the share that may be slow', () => {
    expect(said(steady(40, 0, 0, 50), SLOW)).toMatchObject({
      ...{ verdict: 'pass', numbers: { limit: 0.1, query: 'took above 0.5' } },
    });
  });

  it('counts the same scrapes once, however often they are answered', () => {
    const rounds = [...steady(4, 0), ...steady(2, 9, 60)];
    const [last] = rounds.at(-1)?.samples ?? [];
    const again = [90, 105, 120].map((second) => ({ second, samples: last ? [last] : [] }));
    const book = bookAfter([...rounds, ...again]);
    expect(saidBy(book, 120)).toMatchObject({ verdict: 'inconclusive', code: 'CCM3102' });
    expect(book.gates['errors']).toMatchObject({ watch: { lastAtMs: msAt(75) } });
    expect(windowIn(book)).toMatchObject({ bad: 18, total: 50, badScrapes: 2 });
  });

  it('compares with what was usual in the past, else with what its processes counted', () => {
    const past = { bad: 3, total: 1000, dispersion: 2 };
    const first = { second: 0, samples: [process(0, 5, 100)] };
    expect(bookAfter([{ ...first, past }]).gates['errors']).toMatchObject({ baseline: past });
    expect(bookAfter([first]).gates['errors']).toMatchObject({ baseline: { bad: 5, total: 100 } });
    expect(isUnbegun(EMPTY_BOOK, RATIO)).toBe(true);
    expect(isUnbegun(bookAfter([first]), RATIO)).toBe(false);
    expect(isUnbegun(bookAfter([{ second: 0, why: 'gone' }]), RATIO)).toBe(true);
  });

  it('takes no more for usual than can be counted', () => {
    const huge = { counts: { bad: 0, total: Number.MAX_SAFE_INTEGER } };
    const samples = ['a', 'b'].map((place) => process(0, 0, 0, { place, ...huge }));
    expect(bookAfter([{ second: 0, samples }]).gates['errors']).toMatchObject({ baseline: null });
  });

  it('is remembered in few bytes, however many targets there are', () => {
    const samples = Array.from({ length: 32 }, (_, index) =>
      process(0, 12_345, 1_234_567, { place: `{instance="10.20.30.${String(index)}:10254"}` }),
    );
    const book = bookAfter([{ second: 0, samples }]);
    expect(JSON.stringify(book).length).toBeLessThan(3_000);
  });

  it('begins a window at a step of the run', () => {
    const steps = [...steady(6, 0), { ...steady(1, 0, 90)[0], second: 90, setup: 'the next' }];
    expect(bookAfter(steps)).toMatchObject({
      ...{ setup: 'the next', setupAtMs: msAt(90) },
      gates: { errors: { watch: { steps: 2 } } },
    });
    expect(windowIn(bookAfter(steps))).toMatchObject({ atMs: msAt(75), total: 10 });
  });

  it('begins again where a person accepted its failure', () => {
    const failed = bookAfter([...steady(4, 0), ...steady(9, 9, 60)]);
    expect(saidBy(failed, 180).verdict).toBe('fail');
    expect(
      saidBy(
        acknowledgedIn(failed, 2, () => true),
        180,
      ).verdict,
    ).toBe('inconclusive');
  });

  it('counts what a process that is new since the round before has counted', () => {
    const born = process(15, 1, 4, { place: 'b', startedAtMs: msAt(5) });
    const old = process(15, 1, 4, { place: 'c' });
    const rounds = [
      { second: 0, samples: [process(0, 0, 10)] },
      { second: 15, samples: [process(15, 0, 20), born, old] },
    ];
    expect(windowIn(bookAfter(rounds))).toMatchObject({ bad: 1, total: 14 });
  });

  it('does not go back in time for a worker whose clock is behind', () => {
    const book = bookAfter(steady(2, 0));
    expect(bookAfter([{ second: 15, why: 'late' }], RATIO, book)).toBe(book);
  });

  it.each<[string, readonly Round[], number, string]>([
    ['before the first round', [], 0, 'not queried yet'],
    ['without an answer from the begin', [{ second: 0, why: 'no process' }], 0, 'no process'],
    [
      'without an answer for too long',
      [...steady(2, 0), { second: 75, why: 'no process' }],
      76,
      'no process',
    ],
    ['when rounds no longer end', steady(2, 0), 76, 'not read for 61 s'],
    [
      'when they no longer end, for the reason of the last one',
      [...steady(2, 0), { second: 30, why: 'no process' }],
      91,
      'no process',
    ],
    [
      'where a target that counted cannot be scraped for too long',
      [...steady(2, 0), { ...steady(1, 0, 75)[0], second: 75, down: ['a'] }],
      76,
      'a cannot be scraped',
    ],
    [
      'by a scrape that is too old',
      [0, 60, 121].map((second) => ({ second, samples: [process(0, 0, 10)] })),
      121,
      '121000 ms old, of at most 120000 ms',
    ],
    [
      'by a process that says which one it is',
      [0, 60, 121].map((second) => ({ second, samples: [process(0, 0, 10)] })),
      121,
      'a: the scrape is',
    ],
    [
      'by a scrape from the future',
      [
        { second: 0, samples: [process(0, 0, 10)] },
        { second: 70, samples: [process(90, 0, 10)] },
      ],
      70,
      'in the future',
    ],
  ])('is unmeasured %s', (_name, rounds, second, why) => {
    expect(saidBy(bookAfter(rounds), second)).toEqual({
      ...{ gate: 'errors', verdict: 'error', code: 'CCM3103', hardness: 'soft' },
      detail: expect.stringContaining(why),
    });
  });

  it('goes on for a while without an answer, and while scrapes are far apart', () => {
    const rounds = steady(40, 0, 0, 50);
    const last = rounds.at(-1);
    const same = [630, 690].map((second) => ({ second, samples: last?.samples ?? [] }));
    expect(said([...rounds, { second: 600, why: 'late' }]).verdict).toBe('pass');
    expect(said([...rounds, ...same]).verdict).toBe('pass');
  });

  it('says nothing of a target that never counted and cannot be scraped', () => {
    const rounds = steady(40, 0, 0, 50).map((each) => ({ ...each, down: ['other'] }));
    expect(said(rounds).verdict).toBe('pass');
  });

  it('a reason of any length stays short', () => {
    expect(said([{ second: 0, why: 'x'.repeat(1000) }]).detail).toHaveLength(200);
  });

  it('says that it was not queried where its book is of an older build', () => {
    const at = { nowMs: START_MS, source: '' };
    const [verdict] = judgeOwnBook({ lastAtMs: START_MS, gates: {} }, policyOf(RATIO), at);
    expect(verdict).toMatchObject({ verdict: 'error', detail: 'not queried yet' });
  });

  it('has its part of the chance to fail falsely, together with the gates of the catalogue', () => {
    const rule = (policy: MetricGatePolicy): unknown => {
      const book = bookAfter([...steady(4, 0), ...steady(9, 9, 60)]);
      const at = { nowMs: msAt(180), source: '' };
      return judgeOwnBook({ ...EMPTY_OWN_BOOK, counted: book }, policy, at)[0]?.numbers?.counted
        ?.needed;
    };
    expect(rule({ ...POLICY, own: [RATIO] })).toBe(100);
    expect(rule({ ...POLICY, own: [RATIO, SLOW] })).toBe(200);
    expect(rule({ ...POLICY, catalogue: 'nodes', own: [RATIO] })).toBe(1000);
  });
});
