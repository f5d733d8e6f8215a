import type { CountRule } from '../counts/count-rule.js';
import { PAST_LOST } from '../past-lost.js';
import { type CountNumbers, judgeWatch } from '../counts/count-verdict.js';
import type { CountFault } from '../counts/increment-fault.js';
import { seenText } from '../counts/visible-harm.js';
import type { CountState } from './gate-book.js';
import type { Judged, OwnNumbers } from './judged.js';

/** What counted events say now. Where their past is lost, harm beyond a limit is still harm, and nothing else is known. */
export function judgeCountState(state: CountState, rule: CountRule, nowMs: number): Judged {
  const judged = judgeCounts(state, rule, nowMs);
  if (state.isPastLost !== true || judged.kind === 'fail' || judged.kind === 'suspect')
    return judged;
  return { kind: 'unmeasured', why: PAST_LOST };
}

function judgeCounts(state: CountState, rule: CountRule, nowMs: number): Judged {
  if (state.watch === null) {
    return state.why === ''
      ? { kind: 'absent', why: 'no manager serves its series' }
      : { kind: 'unmeasured', why: state.why };
  }
  const judged = judgeWatch(state.watch, rule, nowMs);
  if (judged.kind === 'unmeasured') {
    return { kind: 'unmeasured', why: state.why === '' ? FAULTS[judged.fault] : state.why };
  }
  const numbers = ownNumbers(judged.numbers);
  switch (judged.kind) {
    case 'pass':
      return { kind: 'pass', numbers, detail: visibleText(judged.numbers) };
    case 'quiet':
    case 'few':
      return { kind: 'quiet', numbers, detail: visibleText(judged.numbers) };
    case 'suspect':
    case 'fail':
      return { kind: judged.kind, numbers, detail: harmText(judged.numbers) };
  }
}

const FAULTS: Readonly<Record<CountFault, string>> = {
  notANumber: 'a count is not a number',
  negative: 'a count is negative',
  moreBadThanTotal: 'more events were bad than there were',
  tooLarge: 'a count is too large',
  outOfOrder: 'a scrape is not newer than the one before: compare the clocks',
  fromTheFuture: 'a scrape is from the future: compare the clocks',
  beforeTheWindow: 'a scrape is from before the window',
  noScrape: 'no scrape since the window began',
  stale: 'the last scrape is too old',
  nothingToCompareWith: 'there is neither a limit nor anything to compare with',
  unusableRule: 'a number of the policy compares with nothing',
};

function ownNumbers(numbers: CountNumbers): OwnNumbers {
  const { value, limit, window, bad, events, baseline, oneIn, needed, seen } = numbers;
  const before = baseline === null ? null : { bad: baseline.bad, events: baseline.total };
  return {
    ...{ unit: 'ratio', value, limit, window },
    counted: {
      ...{ bad, events, before },
      ...{ oneIn: rounded(oneIn), needed: rounded(needed), visible: seen.harm },
    },
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

function visibleText({ seen }: CountNumbers): string {
  return seenText(seen.bad, seen.total, seen.harm);
}

/** "17 of 41 events bad in 135 s (41 %), 3 of 1204 before: 1 in 480000 by chance, 1 in 1200 fails". */
function harmText({ bad, events, window, baseline, oneIn, needed }: CountNumbers): string {
  const seconds = Math.round((window.toMs - window.fromMs) / 1000);
  const percent = Math.round((100 * bad) / Math.max(1, events));
  const before =
    baseline === null
      ? ''
      : `, ${String(Math.round(baseline.bad))} of ${String(Math.round(baseline.total))} before`;
  const chance = `1 in ${String(Math.round(oneIn))} by chance, 1 in ${String(Math.round(needed))} fails`;
  return `${String(bad)} of ${String(events)} events bad in ${String(seconds)} s (${String(percent)} %)${before}: ${chance}`;
}
