import type { Target } from '../vocabulary.js';
import type { FleetState, Row, RowCause, RowPhase } from './fleet-state.js';
import { awaitsGuard } from './awaited-word.js';
import { awaitsRehearsal, hasEnded, isUnproven } from './fleet-rows.js';
import type { Headroom } from './headroom.js';
import { waitReasonWith, type WaitReason } from './wait-reasons.js';

/** Clusters of one wave that are alike to a person: where they are, and why. */
export interface RowGroup {
  readonly wave: number;
  readonly phase: RowPhase;
  readonly target: Target;
  /** They wait for a slot in which to roll back. */
  readonly rollbackQueued: boolean;
  /** Canaries that go back only to go forward again, or do that. */
  readonly rehearses: boolean;
  readonly cause: RowCause;
  /** Code and step of the last failure or hold; empty where it no longer matters. */
  readonly signature: string;
  /** Of several that are tried again, the earliest. */
  readonly waitsFor: WaitReason | null;
  /** Of the one that has been so the longest. */
  readonly sinceMs: number;
  /** In the order of the plan. */
  readonly names: readonly string[];
}

/** Rows with the same answer to "where, and why", in the order of their first row. */
export function groupRows(
  state: FleetState,
  headroom: Headroom,
  rows: readonly Row[] = state.rows,
): readonly RowGroup[] {
  const groups = new Map<string, RowGroup>();
  for (const row of rows) {
    const one = groupOf(row, waitReasonWith(state, headroom, row));
    const key = keyOf(one);
    const known = groups.get(key);
    groups.set(key, known === undefined ? one : joined(known, one));
  }
  return [...groups.values()];
}

function groupOf(row: Row, waitsFor: WaitReason | null): RowGroup {
  const { wave, phase, target, rollbackQueued, rehearsal, signature, sinceMs, name } = row;
  const isFine = phase === 'proven' || phase === 'soaking';
  return {
    ...{ wave, phase, target, rollbackQueued, waitsFor, sinceMs, names: [name] },
    rehearses: rehearsal !== 'none' && (!hasEnded(row) || awaitsRehearsal(row)),
    cause: isFine ? 'none' : shownCause(row),
    signature: isFine || phase === 'active' ? '' : signature,
  };
}

/** A cluster that waits for its guard is queued, as one that did not start because of it: nothing is wrong with it. */
export function shownCause(row: Row): RowCause {
  const { heals, signature, cause } = row;
  return isUnproven(row) && heals && awaitsGuard(signature) ? 'queued' : cause;
}

function keyOf({ waitsFor, sinceMs: _when, names: _who, ...rest }: RowGroup): string {
  const reason = waitsFor?.kind === 'retry' ? { ...waitsFor, atMs: null } : waitsFor;
  return JSON.stringify([rest, reason]);
}

function joined(known: RowGroup, one: RowGroup): RowGroup {
  return {
    ...known,
    waitsFor: earlier(known.waitsFor, one.waitsFor),
    sinceMs: Math.min(known.sinceMs, one.sinceMs),
    names: [...known.names, ...one.names],
  };
}

function earlier(a: WaitReason | null, b: WaitReason | null): WaitReason | null {
  return retryMs(b) < retryMs(a) ? b : a;
}

function retryMs(reason: WaitReason | null): number {
  return reason?.kind === 'retry' ? reason.atMs : Infinity;
}
