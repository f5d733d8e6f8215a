import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MaintenanceWindow } from '../../../config/kinds/maintenance-window.js';
import { WEEKDAYS, maintenanceWindow } from '../../../config/kinds/maintenance-window.js';
import { openingsOf } from '../../../config/openings.js';
import { isTimeZone } from '../../../config/time-zones.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const BERLIN = { timeZone: 'Europe/Berlin' } as const;

type Written = Partial<MaintenanceWindow>;
type Expected = readonly [opens: string, closes: string, closedBy?: 'exclusion'];

/** Openings of a range of UTC times such as `2026-03-28T12`. */
function openings(
  [from, until]: readonly [string, string],
  written: readonly Written[],
  excluded: readonly string[] = [],
): readonly Expected[] {
  const windows = written.map((each) => maintenanceWindow.parse(each));
  const [fromMs, untilMs] = [Date.parse(`${from}:00Z`), Date.parse(`${until}:00Z`)];
  return openingsOf(windows, excluded, fromMs, untilMs).map(
    ({ opensAtMs, closesAtMs, closedBy }) => [
      hourOf(opensAtMs),
      hourOf(closesAtMs),
      ...(closedBy === 'exclusion' ? ([closedBy] as const) : ([] as const)),
    ],
  );
}

function hourOf(ms: number): string {
  return new Date(ms).toISOString().slice(5, 16);
}

describe('openings', () => {
  it.each<
    [string, readonly [string, string], readonly Written[], readonly string[], readonly Expected[]]
  >([
    [
      'without windows are the whole range',
      ['2026-06-01T00:00', '2026-06-03T00:00'],
      [],
      [],
      [['06-01T00:00', '06-03T00:00']],
    ],
    [
      'of all seven days from midnight to midnight are one',
      ['2026-06-01T10:00', '2026-06-09T10:00'],
      [{ ...BERLIN }],
      [],
      [['06-01T10:00', '06-09T10:00']],
    ],
    [
      'follow the clock of their time zone',
      ['2026-06-01T00:00', '2026-06-02T23:00'],
      [{ from: '09:00', to: '17:00', ...BERLIN }],
      [],
      [
        ['06-01T07:00', '06-01T15:00'],
        ['06-02T07:00', '06-02T15:00'],
      ],
    ],
    [
      'over midnight belong to the day on which they open',
      ['2026-06-04T00:00', '2026-06-08T12:00'],
      [{ days: ['Th', 'Su'], from: '20:00', to: '04:00' }],
      [],
      [
        ['06-04T20:00', '06-05T04:00'],
        ['06-07T20:00', '06-08T04:00'],
      ],
    ],
    [
      'that began before the range are cut at its begin, and at its end',
      ['2026-06-05T02:00', '2026-06-05T21:00'],
      [{ from: '20:00', to: '04:00' }],
      [],
      [
        ['06-05T02:00', '06-05T04:00'],
        ['06-05T20:00', '06-05T21:00'],
      ],
    ],
    [
      'last a day where from and to are the same',
      ['2026-06-01T00:00', '2026-06-03T00:00'],
      [{ days: ['Mo'], from: '06:00', to: '06:00' }],
      [],
      [['06-01T06:00', '06-02T06:00']],
    ],
    [
      'of overlapping and touching windows are one, across time zones',
      ['2026-06-01T00:00', '2026-06-02T00:00'],
      [
        { from: '10:00', to: '14:00' },
        { from: '13:00', to: '15:00', ...BERLIN },
        { from: '14:00', to: '15:00' },
        { from: '18:00', to: '19:00' },
      ],
      [],
      [
        ['06-01T10:00', '06-01T15:00'],
        ['06-01T18:00', '06-01T19:00'],
      ],
    ],
    [
      'are an hour shorter in the night in which clocks go forward',
      ['2026-03-28T12:00', '2026-03-30T12:00'],
      [{ from: '01:00', to: '05:00', ...BERLIN }],
      [],
      [
        ['03-29T00:00', '03-29T03:00'],
        ['03-29T23:00', '03-30T03:00'],
      ],
    ],
    [
      'that open at a skipped time open as much later as the clock was moved',
      ['2026-03-28T12:00', '2026-03-29T12:00'],
      [{ from: '02:30', to: '05:00', ...BERLIN }],
      [],
      [['03-29T01:30', '03-29T03:00']],
    ],
    [
      'between two skipped times last as long as written',
      ['2026-03-28T12:00', '2026-03-29T12:00'],
      [{ from: '02:00', to: '02:45', ...BERLIN }],
      [],
      [['03-29T01:00', '03-29T01:45']],
    ],
    [
      'are an hour longer in the night in which clocks go back',
      ['2026-10-24T12:00', '2026-10-25T12:00'],
      [{ from: '01:00', to: '05:00', ...BERLIN }],
      [],
      [['10-24T23:00', '10-25T04:00']],
    ],
    [
      'close at the first of two equal times',
      ['2026-10-24T12:00', '2026-10-25T12:00'],
      [{ from: '01:00', to: '02:30', ...BERLIN }],
      [],
      [['10-24T23:00', '10-25T00:30']],
    ],
    [
      'open at the first of two equal times',
      ['2026-10-24T12:00', '2026-10-25T12:00'],
      [{ from: '02:30', to: '04:00', ...BERLIN }],
      [],
      [['10-25T00:30', '10-25T03:00']],
    ],
    [
      'end where an excluded date begins, and begin where it ends',
      ['2026-12-23T12:00', '2026-12-25T22:00'],
      [{ from: '20:00', to: '04:00', ...BERLIN }],
      ['2026-12-24'],
      [
        ['12-23T19:00', '12-23T23:00'],
        ['12-24T23:00', '12-25T03:00', 'exclusion'],
        ['12-25T19:00', '12-25T22:00'],
      ],
    ],
    [
      'name the exclusion when a whole window falls on it',
      ['2026-12-23T06:00', '2026-12-25T18:00'],
      [{ from: '09:00', to: '17:00' }],
      ['2026-12-24', '2026-12-24'],
      [
        ['12-23T09:00', '12-23T17:00'],
        ['12-25T09:00', '12-25T17:00', 'exclusion'],
      ],
    ],
    [
      'are not closed by an excluded date on which no window opens',
      ['2026-12-25T18:00', '2026-12-28T18:00'],
      [{ days: ['Mo', 'Fr'], from: '09:00', to: '17:00' }],
      ['2026-12-26'],
      [['12-28T09:00', '12-28T17:00']],
    ],
    [
      'without windows have excluded dates in UTC',
      ['2026-12-23T12:00', '2026-12-25T12:00'],
      [],
      ['2026-12-24'],
      [
        ['12-23T12:00', '12-24T00:00'],
        ['12-25T00:00', '12-25T12:00', 'exclusion'],
      ],
    ],
    [
      'exclude a date for each window in its own time zone',
      ['2026-12-23T20:00', '2026-12-24T12:00'],
      [
        { from: '00:00', to: '02:00', ...BERLIN },
        { from: '18:00', to: '20:00', timeZone: 'America/New_York' },
      ],
      ['2026-12-24'],
      [['12-23T23:00', '12-24T01:00']],
    ],
    ['of an empty range are none', ['2026-06-02T00:00', '2026-06-01T00:00'], [], [], []],
  ])('%s', (_name, range, windows, excluded, expected) => {
    expect(openings(range, windows, excluded)).toEqual(expected);
  });

  it('of a range without end are those of its first 400 days', () => {
    const [opening, ...others] = openingsOf([], [], 0, Number.MAX_VALUE);
    expect(others).toEqual([]);
    expect(opening).toEqual({ opensAtMs: 0, closesAtMs: 400 * DAY, closedBy: 'window' });
  });

  it.each([
    [Number.NaN, 0],
    [0, Number.NaN],
    [Infinity, Infinity],
    [8.64e15, 8.64e15 + 1],
    [-2, -1],
  ])('of the impossible range from %s to %s are none', (fromMs, untilMs) => {
    expect(openingsOf([], ['2026-12-24'], fromMs, untilMs)).toEqual([]);
  });
});

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];

const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));

const anyWindow = fc.record({
  days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
  from: clock,
  to: fc.oneof(clock, fc.constant('24:00')),
  timeZone: fc.constantFrom(...ZONES),
});

const YEAR_START = Date.UTC(2026, 0);
const anyTime = fc.integer({ min: YEAR_START, max: YEAR_START + 365 * DAY });
const anyDate = anyTime.map((ms) => new Date(ms).toISOString().slice(0, 10));

it('openings are in order, disjoint, inside the range, and none is on an excluded date', () => {
  fc.assert(
    fc.property(
      fc.array(anyWindow, { maxLength: 3 }),
      fc.array(anyDate, { maxLength: 20 }),
      anyTime,
      fc.integer({ min: 0, max: 40 * DAY }),
      (windows, excluded, fromMs, lengthMs) => {
        const found = openingsOf(windows, excluded, fromMs, fromMs + lengthMs);
        let last = fromMs - 1;
        for (const { opensAtMs, closesAtMs } of found) {
          expect(opensAtMs).toBeGreaterThan(last);
          expect(closesAtMs).toBeGreaterThan(opensAtMs);
          last = closesAtMs;
        }
        expect(last).toBeLessThanOrEqual(fromMs + lengthMs);
        const all = openingsOf(windows, [], fromMs, fromMs + lengthMs);
        for (const { opensAtMs, closesAtMs } of found) {
          const isPlanned = all.some(
            (each) => each.opensAtMs <= opensAtMs && closesAtMs <= each.closesAtMs,
          );
          expect(isPlanned).toBe(true);
        }
      },
    ),
    { numRuns: 200 },
  );
});

it.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Europe/Berln', false],
  ['+01:00', false],
  ['__proto__', false],
])('the time zone %s is known: %s', (name, known) => {
  expect(isTimeZone(name)).toBe(known);
});
