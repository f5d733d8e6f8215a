import { DateTime, IANAZone } from 'luxon';

export function isTimeZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}

/** The date that the calendars of a time zone show, as YYYY-MM-DD. */
export function dateAt(ms: number, timeZone: string): string {
  return DateTime.fromMillis(ms, { zone: timeZone }).toFormat('yyyy-MM-dd');
}

/**
 * When the clocks of a time zone show a time (`HH:MM`) on a date. As RFC 5545 (3.3.5) reads it: a time that is shown twice is the
 * first of the two, and one that is skipped is counted from the clock before the change.
 */
export function instantOf(date: string, time: string, timeZone: string): number {
  const shown = DateTime.fromISO(`${date}T${time}`, { zone: timeZone });
  return Math.min(...shown.getPossibleOffsets().map((each) => each.toMillis()));
}
