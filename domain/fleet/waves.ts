import type { FleetState, Row, Wave } from './fleet-state.js';
import { awaitsRehearsal, ended, hasEnded } from './fleet-rows.js';

/** Where a wave is. `short`: its time is over and too few of its clusters are proven, so that a person decides. */
export type WaveStanding =
  | { readonly kind: 'order'; readonly wave: number }
  | { readonly kind: 'startTime'; readonly atMs: number }
  | { readonly kind: 'rejected'; readonly actor: string; readonly reason: string }
  | { readonly kind: 'approvalBefore'; readonly missing: number }
  | { readonly kind: 'running' }
  | { readonly kind: 'short'; readonly missing: number }
  | { readonly kind: 'approvalAfter'; readonly missing: number }
  | { readonly kind: 'over' };

/** What a wave waits for. A wave that has begun goes on whatever becomes of its approvals. */
export function waveStanding(state: FleetState, wave: Wave): WaveStanding {
  if (wave.over) return { kind: 'over' };
  const before = wave.begunMs === null ? beforeBegin(state, wave) : null;
  if (before !== null) return before;
  if (!isComplete(state, wave)) return unfinished(state, wave);
  const missing = missingApprovals(state, wave.approvals.after, wave.approvedAfter);
  if (wave.rejected !== null) return { kind: 'rejected', ...wave.rejected };
  return missing > 0 ? { kind: 'approvalAfter', missing } : { kind: 'over' };
}

function beforeBegin(state: FleetState, wave: Wave): WaveStanding | null {
  const earlier = state.waves.find(({ over, index }) => !over && index < wave.index);
  if (earlier !== undefined && !wave.early) return { kind: 'order', wave: earlier.index };
  const { startAtMs } = state.policy;
  if (startAtMs !== null && state.nowMs < startAtMs) return { kind: 'startTime', atMs: startAtMs };
  if (wave.rejected !== null) return { kind: 'rejected', ...wave.rejected };
  const missing = missingApprovals(state, wave.approvals.before, wave.approvedBefore);
  return missing > 0 ? { kind: 'approvalBefore', missing } : null;
}

function missingApprovals(
  { nowMs, policy }: FleetState,
  quorum: number,
  approvals: Wave['approvedBefore'],
): number {
  const valid = approvals.filter(({ atMs }) => nowMs < atMs + policy.approvalExpiryMs);
  return Math.max(0, quorum - valid.length);
}

function rowsOf(state: FleetState, { index }: Wave): readonly Row[] {
  return state.rows.filter(({ wave }) => wave === index);
}

/** Clusters that a person left out do not count. */
function missingProofs(rows: readonly Row[], percent: number): number {
  const counted = rows.filter(({ phase, cause }) => phase !== 'skipped' || cause !== 'person');
  const proven = rows.filter(({ phase }) => phase === 'proven').length;
  return Math.max(0, Math.ceil((counted.length * percent) / 100) - proven);
}

function isComplete(state: FleetState, wave: Wave): boolean {
  if (wave.done === null) return hasAllEnded(state, wave);
  const rows = rowsOf(state, wave);
  if (missingProofs(rows, wave.done.provenPercent) > 0) return false;
  return rows.every(isLeftOver) || isLate(state, wave);
}

/** What a rehearsal proves is still open. */
function isFinished(row: Row): boolean {
  return hasEnded(row) && !awaitsRehearsal(row);
}

function hasAllEnded({ rows }: FleetState, { index }: Wave): boolean {
  return rows.every((row) => row.wave !== index || isFinished(row));
}

/** Nothing that its wave could still do without a person or another environment. */
function isLeftOver(row: Row): boolean {
  const deferred = row.phase === 'waiting' && row.notBeforeMs > 0 && row.cause !== 'queued';
  return isFinished(row) || row.phase === 'parked' || deferred;
}

/** The end of the time in which a wave must be proven, or null. */
export function waveEndMs({ done, begunMs }: Wave): number | null {
  return done === null || begunMs === null ? null : begunMs + done.withinMs;
}

function isLate({ nowMs }: FleetState, wave: Wave): boolean {
  const endMs = waveEndMs(wave);
  return endMs !== null && nowMs >= endMs;
}

function unfinished(state: FleetState, wave: Wave): WaveStanding {
  if (wave.done === null) return { kind: 'running' };
  const missing = missingProofs(rowsOf(state, wave), wave.done.provenPercent);
  const stuck = isLate(state, wave) || hasAllEnded(state, wave);
  return missing > 0 && stuck ? { kind: 'short', missing } : { kind: 'running' };
}

/** Begins and ends waves in their order, then the last pass. */
export function withWaves(state: FleetState): FleetState {
  const after = state.waves.reduce((current, { index }) => withWave(current, index), state);
  const last = after.waves.every(({ over }) => over) || after.rows.every(hasEnded);
  return last && !after.lastPassBegun && !after.stopped ? withLastPass(after) : after;
}

function withWave(state: FleetState, index: number): FleetState {
  return state.waves
    .filter((wave) => wave.index === index && !wave.over)
    .reduce((current, wave) => {
      const begun = withBegin(current, wave);
      return waveStanding(current, begun).kind === 'over'
        ? withEnd(current, begun)
        : { ...current, waves: current.waves.with(index, begun) };
    }, state);
}

function withBegin(state: FleetState, wave: Wave): Wave {
  if (wave.begunMs !== null || beforeBegin(state, wave) !== null) return wave;
  return { ...wave, begunMs: state.nowMs };
}

/** Clusters that are not finished no longer hold the waves behind; those that did not start wait for the last pass. */
function withEnd(state: FleetState, wave: Wave): FleetState {
  const rows = state.rows.map((row) =>
    row.wave === wave.index && row.phase === 'waiting' ? { ...row, lastPass: true } : row,
  );
  return { ...state, rows, waves: state.waves.with(wave.index, { ...wave, over: true }) };
}

/** Clusters that were out of reach have one more chance when all else is done. */
function withLastPass(state: FleetState): FleetState {
  const rows = state.rows.map((row) => {
    const again = row.phase === 'skipped' && (row.cause === 'unreachable' || row.cause === 'busy');
    return again
      ? ended(state, row, { phase: 'waiting', lastPass: true, notBeforeMs: state.nowMs })
      : row;
  });
  return { ...state, rows, lastPassBegun: true };
}

/** Whether nothing is left to do; a rollback that waits is, and so is an approval of what has been proven. */
export function isFleetOver(state: FleetState): boolean {
  const idle = state.rows.every((row) => hasEnded(row) && !row.rollbackQueued);
  return idle && (state.stopped || !state.waves.some((wave) => awaitsSignOff(state, wave)));
}

/** Whether anything goes on when the end of a wave is approved: nothing does when it was rolled back and no other wave waits. */
export function isEndAwaited(state: FleetState, wave: Wave): boolean {
  const waiting = state.rows.some((row) => row.wave > wave.index && row.phase === 'waiting');
  return waiting || awaitsSignOff(state, wave);
}

/** A wave of which nothing stays changed has nothing that people could approve. */
function awaitsSignOff(state: FleetState, wave: Wave): boolean {
  const { kind } = waveStanding(state, wave);
  const waits = kind === 'approvalAfter' || kind === 'rejected';
  return waits && rowsOf(state, wave).some(({ phase }) => phase === 'proven');
}

/** Whether every canary has ended and one of them is proven. A wave without canaries needs none. */
export function canariesPassed(state: FleetState, wave: Wave): boolean {
  const canaries = state.rows.filter((row) => row.canary && row.wave === wave.index);
  const over = canaries.every(isFinished);
  return canaries.length === 0 || (over && canaries.some(({ phase }) => phase === 'proven'));
}
