import type { FleetEvent, FleetTransition } from './fleet-events.js';
import { BACK, type StartPolicy } from './fleet-plan.js';
import type { FleetState, Row, RowCause } from './fleet-state.js';
import {
  changed,
  ended,
  isMoving,
  neverBegan,
  requeued,
  unchanged,
  wasChanged,
} from './fleet-rows.js';

type StartAnswered = Extract<FleetEvent, { kind: 'startAnswered' }>;

/** What the start of a row came to. A member that has reported since is past it. */
export function applyStartAnswer(state: FleetState, event: StartAnswered): FleetTransition {
  const { answer, signature, grant } = event;
  const row = state.rows[event.row];
  if (row === undefined || row.grant !== grant || row.sequence > 0 || !isMoving(row)) {
    return unchanged(state);
  }
  const said: Row = { ...row, signature };
  switch (answer) {
    case 'started':
    case 'adopted':
      return unchanged(state);
    case 'keptBack':
      return changed(state, keptBack(state, row));
    case 'refused':
      return changed(state, notStarted(state, said, 'refused', 'skip'));
    case 'queued':
      return changed(state, notStarted(state, said, answer, 'wait'));
    case 'unreachable':
    case 'busy':
    case 'drifted':
      return changed(state, notStarted(state, said, answer, state.policy[answer]));
  }
}

/** As if it had never had its slot. What was to go back does so when it may. */
function keptBack(state: FleetState, row: Row): Row {
  if (row.stopping) return ended(state, row, { phase: 'stopped', cause: 'stop' });
  if (row.target === BACK) return backOf(state, row, 'rollback', state.nowMs);
  // In the last pass, and before it only what a person asked for, is started from a wave that is over.
  return ended(state, row, { phase: 'waiting', asked: row.lastPass, changeFromMs: null });
}

/** The row that did not start: it gives its slot back, and nothing burns. */
export function notStarted(state: FleetState, row: Row, cause: RowCause, policy: StartPolicy): Row {
  const notBeforeMs = state.nowMs + state.policy.retryAfterMs;
  if (row.stopping) return ended(state, row, { phase: 'stopped', cause });
  if (row.target === BACK) return backOf(state, row, cause, notBeforeMs);
  if (policy === 'wait') return requeued(state, row, { cause, notBeforeMs });
  // A cluster that an earlier run changed is never shown as left alone.
  const left = policy === 'skip' && !wasChanged(row);
  return ended(state, row, { phase: left ? 'skipped' : 'failed', cause });
}

function backOf(state: FleetState, row: Row, cause: RowCause, notBeforeMs: number): Row {
  if (neverBegan(row)) return ended(state, row, { phase: 'skipped', cause: 'rollback' });
  return laterBack(state, row, cause, notBeforeMs);
}

/** A rollback is refused for a reason that a person must see; otherwise it is tried again, whatever the policy. */
function laterBack(state: FleetState, row: Row, cause: RowCause, notBeforeMs: number): Row {
  const again = cause !== 'refused' && cause !== 'drifted';
  return ended(state, row, { phase: 'failed', cause, rollbackQueued: again, notBeforeMs });
}
