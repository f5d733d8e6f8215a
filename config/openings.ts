import type { Opening } from '../domain/fleet/fleet-state.js';
import type { MaintenanceWindow } from './kinds/maintenance-window.js';
import { WEEKDAYS, maintenanceWindow } from './kinds/maintenance-window.js';
import { dateAt, instantOf } from './time-zones.js';

/** From `start` until just before `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;

/** Longer ranges are cut: what lies beyond is asked for again later, and closed until then. */
const LONGEST_RANGE_MS = 400 * DAY_MS;
const LAST_MS = Date.UTC(9999, 0);

const WHOLE_WEEK = maintenanceWindow.parse({});

/**
 * When a wave is open between two times, in order and disjoint; windows that touch or overlap are one opening. Of a range of
 * more than 400 days the first 400 are answered. Never to be called in a workflow: time zone data differ between Node builds.
 */
export function openingsOf(
  windows: readonly MaintenanceWindow[],
  excludedDates: readonly string[],
  fromMs: number,
  untilMs: number,
): readonly Opening[] {
  const start = Math.max(fromMs, 0);
  const range = { start, end: Math.min(untilMs, LAST_MS, start + LONGEST_RANGE_MS) };
  if (!(range.start < range.end)) return [];
  const scheduled = (windows.length === 0 ? [WHOLE_WEEK] : windows).map((window) => ({
    timeZone: window.timeZone,
    spans: merged(spansOf(window, range)),
  }));
  const open = scheduled.flatMap(({ spans, timeZone }) =>
    without(spans, excludedSpans(excludedDates, timeZone, range)),
  );
  const planned = merged(scheduled.flatMap(({ spans }) => spans));
  return withCauses(merged(open), planned, range.start);
}

/** One span for each day on which the window opens. */
function spansOf({ days, from, to, timeZone }: MaintenanceWindow, range: Span): readonly Span[] {
  const spans: Span[] = [];
  const last = dateAt(range.end, timeZone);
  for (let date = after(dateAt(range.start, timeZone), -1); date <= last; date = after(date, 1)) {
    if (!days.some((day) => day === weekdayOf(date))) continue;
    const start = instantOf(date, from, timeZone);
    const end = to > from ? endOn(date, to, timeZone) : endOn(after(date, 1), to, timeZone);
    spans.push({ start: Math.max(start, range.start), end: Math.min(end, range.end) });
  }
  return spans.filter(({ start, end }) => start < end);
}

function endOn(date: string, to: string, timeZone: string): number {
  return to === '24:00'
    ? instantOf(after(date, 1), '00:00', timeZone)
    : instantOf(date, to, timeZone);
}

function excludedSpans(
  dates: readonly string[],
  timeZone: string,
  { start, end }: Span,
): readonly Span[] {
  const [first, last] = [dateAt(start, timeZone), dateAt(end, timeZone)];
  const inRange = [...new Set(dates)].filter((date) => date >= first && date <= last);
  return merged(
    inRange.map((date) => ({
      start: instantOf(date, '00:00', timeZone),
      end: endOn(date, '24:00', timeZone),
    })),
  );
}

function after(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

function weekdayOf(date: string): string | undefined {
  return WEEKDAYS[new Date(date).getUTCDay()];
}

/** In order; spans that touch become one. */
function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last === undefined || span.start > last.end) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}

/** What is left of `spans`. Both are in order and disjoint. */
function without(spans: readonly Span[], excluded: readonly Span[]): readonly Span[] {
  const left: Span[] = [];
  for (const span of spans) {
    let { start } = span;
    for (const cut of excluded) {
      if (cut.end <= start || cut.start >= span.end) continue;
      if (cut.start > start) left.push({ start, end: cut.start });
      start = cut.end;
    }
    if (start < span.end) left.push({ start, end: span.end });
  }
  return left;
}

/** A gap is an exclusion's when a window would have been open in it. */
function withCauses(
  open: readonly Span[],
  planned: readonly Span[],
  fromMs: number,
): readonly Opening[] {
  return open.map(({ start, end }, index) => {
    const closedSince = open[index - 1]?.end ?? fromMs;
    const taken = planned.some((span) => span.start < start && span.end > closedSince);
    return {
      ...{ opensAtMs: start, closesAtMs: end },
      closedBy: taken ? ('exclusion' as const) : ('window' as const),
    };
  });
}
