import { atLeast, atMost, exactly, type Bar } from '../stated-bars.js';
import { upperLimit } from './binomial-interval.js';
import { CLIFF_ROW, FEW_ROWS, STEP_ROW } from './bench-rows.js';
import type { BadRow } from './bad-windows.js';
import type { BrokenFigures } from './broken-figures.js';
import type { BadSummary, GateFigures, GoodSummary } from './gate-figures.js';

/** What the figures must keep. Those of a quick run are too few for most of them. */
export function gateBars({ seconds, good, bad, broken }: GateFigures): readonly Bar[] {
  const cliff = summaryOf(bad, CLIFF_ROW);
  const step = summaryOf(bad, STEP_ROW);
  const [hours2, hours24] = [2, 24].map((hours) => good.find((each) => each.hours === hours));
  return [
    atMost('minutes', seconds / 60, 8),
    ...goodBars('2 h', hours2, 1000),
    ...goodBars('24 h', hours24, 400),
    atLeast('bad windows at our step', (cliff?.windows ?? 0) + (step?.windows ?? 0), 3000),
    atMost('to 100 %: scrapes until a failure, p95', cliff?.scrapes.p95, 4),
    atLeast('to 100 %: found, percent', shareFound(cliff), 99.5),
    atLeast('to 20 %: found, percent', shareFound(step), 99.5),
    atMost('to 20 %: minutes until a failure, p95', minutes(step?.fail.p95), 6),
    exactly('too few events: passed', passedOf(bad), 0),
    ...(broken === undefined ? [] : brokenBars(broken)),
  ];
}

function brokenBars({ answers, passed, misnamed }: BrokenFigures): readonly Bar[] {
  return [
    atLeast('broken answers of a metrics server', answers, 40),
    exactly('broken answers: passed', passed.length, 0),
    exactly('broken answers: refused for another reason', misnamed.length, 0),
  ];
}

function goodBars(name: string, summary: GoodSummary | undefined, least: number): readonly Bar[] {
  const limit = summary === undefined ? null : 100 * upperLimit(summary.failed, summary.runs);
  return [
    atLeast(`good runs of ${name}`, summary?.runs, least),
    atMost(`good runs of ${name} that fail, upper limit in percent`, limit, 1),
  ];
}

function summaryOf(bad: readonly BadSummary[], row: BadRow): BadSummary | undefined {
  return bad.find((each) => JSON.stringify(each.row) === JSON.stringify(row));
}

/** The share found of those that did not fail before the harm. */
function shareFound(summary: BadSummary | undefined): number | null {
  return summary === undefined ? null : (100 * summary.fail.count) / summary.windows;
}

function minutes(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds / 60;
}

function passedOf(bad: readonly BadSummary[]): number | null {
  const few = FEW_ROWS.map((row) => summaryOf(bad, row));
  if (few.includes(undefined)) return null;
  return few.reduce((sum, each) => sum + (each?.ends.pass ?? 0), 0);
}
