import { USER_AGENTS } from '../../config/names.js';
import type { JournalEntry } from '../../testbed/simulator/control/request-journal.js';

/**
 * Every write of ours follows a renewal of the fence by the guard, in the same epoch, by at most `limitMs` (three intervals) of the
 * cluster's time. Judged from a cluster's journal alone, whichever process sent the requests; `journal` must hold the run from its first
 * fence on. Returns the violations as text; empty when all is right.
 *
 * A run's steps create or replace the fence to acquire it: a new epoch, which no guard has observed. They patch it to put it to rest or to
 * wake it, and either way the guard must have observed that before the next write. A read that rounds down to the second and the time that
 * a write is in progress may each add a second: increase the limit by that much.
 */
export function unguardedWrites(
  journal: readonly JournalEntry[],
  limitMs: number,
): readonly string[] {
  const complaints: string[] = [];
  let guardedAtMs: number | null = null;
  for (const entry of journal.filter(isOurWrite)) {
    if (isFence(entry)) {
      guardedAtMs = isGuards(entry) ? entry.atMs : null;
      continue;
    }
    const why = problemOf(entry, guardedAtMs, limitMs);
    if (why !== null) complaints.push(`${nameOf(entry)}: ${why}`);
  }
  return complaints;
}

function problemOf(
  entry: JournalEntry,
  guardedAtMs: number | null,
  limitMs: number,
): string | null {
  if (isGuards(entry)) return 'a guard changes nothing but the fence';
  if (guardedAtMs === null) return 'no guard has seen the fence as it stands';
  const ageMs = entry.atMs - guardedAtMs;
  return ageMs > limitMs ? `the guard's last renewal was ${String(ageMs)} ms before` : null;
}

function isOurWrite({ mutating, tookEffect, userAgent }: JournalEntry): boolean {
  return mutating && tookEffect && userAgent.startsWith(USER_AGENTS.steps);
}

function isFence({ resource, name }: JournalEntry): boolean {
  return resource === 'leases' && name === 'ccm-migrate';
}

function isGuards({ userAgent }: JournalEntry): boolean {
  return userAgent === USER_AGENTS.guard;
}

function nameOf({ verb, path, index, atMs }: JournalEntry): string {
  return `${verb} ${path} (request ${String(index)} at ${String(atMs)} ms)`;
}
