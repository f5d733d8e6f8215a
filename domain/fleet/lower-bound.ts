import type { RolloutPolicy } from './fleet-plan.js';

/** What a journal knows of one cluster: how long it changed and soaked. */
export interface JournalRow {
  readonly name: string;
  readonly canary: boolean;
  readonly groups: readonly string[];
  readonly proven: boolean;
  readonly changeMs: number;
  readonly soakMs: number;
}

/**
 * No schedule within the limits is faster: the canaries go first and alone, and behind them each limit is an area and each
 * cluster a path. From the journal alone, so that anyone can check it.
 */
export function lowerBound(
  { inFlight, unproven, caps }: Pick<RolloutPolicy, 'inFlight' | 'unproven' | 'caps'>,
  journal: readonly JournalRow[],
): number {
  const whole = ({ changeMs, soakMs }: JournalRow): number => changeMs + soakMs;
  const others = journal.filter(({ canary }) => !canary);
  const proven = others.filter((row) => row.proven);
  const longestCanary = Math.max(0, ...journal.filter(({ canary }) => canary).map(whole));
  const shortestSoak = proven.length === 0 ? 0 : Math.min(...proven.map(({ soakMs }) => soakMs));
  const byCap = Object.entries(caps).flatMap(([label, cap]) =>
    valuesOf(label, proven).map((group) => {
      const rows = proven.filter(({ groups }) => groups.includes(group));
      return total(rows.map(change)) / cap;
    }),
  );
  const byInFlight = total(proven.map(change)) / inFlight + shortestSoak;
  const byUnproven = total(others.map(whole)) / unproven;
  return longestCanary + Math.max(byInFlight, byUnproven, ...byCap, ...others.map(whole));
}

function change({ changeMs }: JournalRow): number {
  return changeMs;
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function valuesOf(label: string, rows: readonly JournalRow[]): readonly string[] {
  const groups = rows.flatMap((row) => row.groups);
  return [...new Set(groups.filter((group) => group.startsWith(`${label}=`)))];
}
