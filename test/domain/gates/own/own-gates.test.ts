import { describe, expect, it } from '@jest/globals';
import { judgeOwnBook } from '../../../../domain/gates/own/judge-own.js';
import {
  afterOwnRound,
  EMPTY_OWN_BOOK,
  type OwnBook,
  type OwnReading,
} from '../../../../domain/gates/own/own-book.js';
import { holdsRun, type GateVerdict } from '../../../../domain/gates/verdicts.js';
import type { MetricGatePolicy, OwnGauge } from '../../../../domain/policy.js';

const START_MS = 1_790_000_000_000;
const SECOND = 1_000;
const GATE: OwnGauge = { name: 'lag', kind: 'gauge', promql: 'lag', limit: { above: 10 } };
const UNMEASURED_MS = 60 * SECOND;
const STALE_MS = 120 * SECOND;
const POLICY: MetricGatePolicy = {
  ...{ catalogue: 'off', except: [], everyMs: 15 * SECOND, unmeasuredMs: UNMEASURED_MS },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

/** Time in seconds since the start, and what was read then: a value scraped then, or a whole reading. */
type Round = readonly [second: number, read: number | OwnReading];

function scraped(value: number, second: number): OwnReading {
  return { kind: 'measured', value: { value, scrapedAtMs: START_MS + second * SECOND } };
}

function bookAfter(rounds: readonly Round[], gate = GATE): OwnBook {
  return rounds.reduce<OwnBook>((book, [second, read]) => {
    const reading = typeof read === 'number' ? scraped(read, second) : read;
    const at = { atMs: START_MS + second * SECOND, staleAfterMs: STALE_MS };
    return afterOwnRound(book, [{ gate, reading }], at);
  }, EMPTY_OWN_BOOK);
}

function saidAt(second: number, book: OwnBook, gate = GATE): GateVerdict | undefined {
  const policy = { ...POLICY, own: [gate] };
  const at = { nowMs: START_MS + second * SECOND, source: 'prometheus.example' };
  return judgeOwnBook(book, policy, at)[0];
}

/** What the gate says right after the last of these rounds. */
function said(...rounds: readonly Round[]): GateVerdict | undefined {
  return saidAt(rounds.at(-1)?.[0] ?? 0, bookAfter(rounds));
}

const NO_ANSWER: OwnReading = { kind: 'unanswered', why: 'no process listens there' };
const NO_SAMPLE: OwnReading = { kind: 'unmeasured', why: 'the query has no result' };
const UNMEASURED = { verdict: 'error', code: 'CCM3103', hardness: 'soft' };

type Unproven = readonly [name: string, rounds: readonly Round[], verdict: string];
// prettier-ignore
const UNPROVEN: readonly Unproven[] = [
  ['the same scrape thrice', [[0, 11], [15, scraped(11, 0)], [30, scraped(11, 0)]], 'inconclusive'],
  ['a scrape that is seen twice', [[0, 11], [15, scraped(11, 0)], [30, 11]], 'inconclusive'],
  ['two scrapes, however far apart', [[0, 11], [40, 11]], 'inconclusive'],
  ['a replica that is behind', [[0, 11], [15, scraped(12, -5)], [30, 12]], 'inconclusive'],
  ['a good scrape in between', [[0, 11], [15, 11], [30, 9], [45, 11]], 'inconclusive'],
  ['three scrapes in a blip', [[0, 11], [5, 11], [10, 11]], 'inconclusive'],
  ['a blip that has ended', [[0, 11], [5, 11], [10, 9]], 'pass'],
  ['a silence in between', [[0, 11], [15, 11], [150, 11]], 'inconclusive'],
  ['a clock that was set back', [[0, 9], [130, scraped(11, -500)]], 'inconclusive'],
];

type Unmeasured = readonly [name: string, rounds: readonly Round[], second: number, why: string];
// prettier-ignore
const UNMEASURED_BY: readonly Unmeasured[] = [
  ['before the first round', [], 0, 'not queried yet'],
  ['without an answer from the begin', [[0, NO_ANSWER]], 0, 'no process listens there'],
  ['by an answer without a sample, at once', [[0, 9], [15, NO_SAMPLE]], 15, 'no result'],
  ['when none follows that', [[0, 9], [15, NO_SAMPLE], [30, NO_ANSWER]], 30, 'no process'],
  ['without an answer for too long', [[0, 9], [15, NO_ANSWER]], 61, 'no process listens there'],
  ['when rounds no longer end', [[0, 9]], 61, 'not read for 61 s'],
  ['by the same scrape for too long', [[0, 9], [121, scraped(9, 0)]], 121, 'again and again'],
  ['when the book is from the future', [[30, 9]], 20, 'read in the future'],
];

describe("an operator's own gauge", () => {
  it('passes by one fresh sample, with its numbers', () => {
    expect(said([0, 10])).toEqual({
      ...{ gate: 'lag', hardness: 'soft', verdict: 'pass', code: 'CCM3101' },
      detail: '10, bad above 10',
      numbers: {
        ...{ unit: 'own', value: 10, limit: 10, window: null },
        ...{ source: 'prometheus.example', query: 'lag' },
      },
    });
  });

  it('beyond its limit in fewer than three scrapes is a suspicion, which holds', () => {
    const verdict = said([0, 10], [15, 11], [30, 12]);
    expect(verdict).toMatchObject({
      ...{ verdict: 'inconclusive', code: 'CCM3102' },
      detail: '12, bad above 10, in 2 scrapes in a row',
    });
    expect(verdict !== undefined && holdsRun(verdict)).toBe(true);
    expect(said([0, 11])?.detail).toContain('in 1 scrape in a row');
  });

  it('beyond it in three scrapes fails', () => {
    expect(said([0, 11], [15, 12], [30, 13])).toMatchObject({ verdict: 'fail', code: 'CCM3101' });
  });

  it.each(UNPROVEN)('is not shown to fail by %s', (_name, rounds, verdict) => {
    expect(said(...rounds)?.verdict).toBe(verdict);
  });

  it('a limit may be the least, too', () => {
    const gate: OwnGauge = { ...GATE, limit: { below: 3 } };
    expect(saidAt(0, bookAfter([[0, 3]], gate), gate)).toMatchObject({
      verdict: 'pass',
      numbers: { limit: 3 },
    });
    expect(saidAt(0, bookAfter([[0, 2]], gate), gate)).toMatchObject({
      verdict: 'inconclusive',
      detail: '2, bad below 3, in 1 scrape in a row',
    });
  });

  it.each(UNMEASURED_BY)('is unmeasured %s', (_name, rounds, second, why) => {
    expect(saidAt(second, bookAfter(rounds))).toEqual({
      ...{ gate: 'lag', ...UNMEASURED },
      detail: expect.stringContaining(why),
    });
  });

  it('counts on for a while without an answer, and is measured when there is one again', () => {
    expect(saidAt(60, bookAfter([[0, 9], [15, NO_ANSWER]]))?.verdict).toBe('pass'); // prettier-ignore
    expect(said([0, 9], [15, NO_SAMPLE], [30, 9])?.verdict).toBe('pass');
    expect(saidAt(20, bookAfter([[24, 9]]))?.verdict).toBe('pass');
  });

  it('a reason of any length stays short', () => {
    const book = bookAfter([[0, { kind: 'unanswered', why: 'x'.repeat(1000) }]]);
    expect(saidAt(0, book)?.detail).toHaveLength(200);
  });

  it('there are none without a policy of them', () => {
    const at = { nowMs: START_MS, source: '' };
    expect(judgeOwnBook(EMPTY_OWN_BOOK, POLICY, at)).toEqual([]);
  });
});
