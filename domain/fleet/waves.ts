import type { FleetState, Row, Wave } from './fleet-state.js';
import { awaitsRehearsal, ended, hasEnded } from './fleet-rows.js';
import { countIn, type RowTally } from './row-index.js';

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

/** Clusters that a person left out do not count. */
function missingProofs({ rows }: FleetState, { index }: Wave, percent: number): number {
  const counted = countIn(rows, IN_WAVES, `${index} counted`);
  const proven = countIn(rows, IN_WAVES, `${index} proven`);
  return Math.max(0, Math.ceil((counted * percent) / 100) - proven);
}

function isComplete(state: FleetState, wave: Wave): boolean {
  if (wave.done === null) return hasAllEnded(state, wave);
  if (missingProofs(state, wave, wave.done.provenPercent) > 0) return false;
  return countIn(state.rows, IN_WAVES, `${wave.index} needed`) === 0 || isLate(state, wave);
}

/** What a rehearsal proves is still open. */
function isFinished(row: Row): boolean {
  return hasEnded(row) && !awaitsRehearsal(row);
}

function hasAllEnded({ rows }: FleetState, { index }: Wave): boolean {
  return countIn(rows, IN_WAVES, `${index} unfinished`) === 0;
}

/** Nothing that its wave could still do without a person or another environment. */
function isLeftOver(row: Row): boolean {
  const deferred = row.phase === 'waiting' && row.notBeforeMs > 0 && row.cause !== 'queued';
  return isFinished(row) || row.phase === 'parked' || deferred;
}

type InWave = 'counted' | 'proven' | 'needed' | 'unfinished';
type Canaries = 'canary' | 'canaryUnfinished' | 'canaryProven';

/** What the standing of a wave is made of. */
const IN_WAVES: RowTally<`${number} ${InWave | Canaries}`> = {
  name: 'in waves',
  keysOf: (row) => {
    const keys: (InWave | Canaries)[] = row.canary ? canaryKeys(row) : [];
    if (row.phase !== 'skipped' || row.cause !== 'person') keys.push('counted');
    if (row.phase === 'proven') keys.push('proven');
    if (!isLeftOver(row)) keys.push('needed');
    if (!isFinished(row)) keys.push('unfinished');
    return keys.map((key) => `${row.wave} ${key}` as const);
  },
};

function canaryKeys(row: Row): Canaries[] {
  const keys: Canaries[] = ['canary'];
  if (!isFinished(row)) keys.push('canaryUnfinished');
  if (row.phase === 'proven') keys.push('canaryProven');
  return keys;
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
  const missing = missingProofs(state, wave, wave.done.provenPercent);
  const stuck = isLate(state, wave) || hasAllEnded(state, wave);
  return missing > 0 && stuck ? { kind: 'short', missing } : { kind: 'running' };
}

/** Begins and ends waves in their order, then the last pass. */
export function withWaves(state: FleetState): FleetState {
  const after = state.waves.reduce((current, { index }) => withWave(current, index), state);
  const last =
    after.waves.every(({ over }) => over) || countIn(after.rows, OPEN_ROWS, 'open') === 0;
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

/** Rows that have not ended, and ended ones that still go back. */
const OPEN_ROWS: RowTally<'open' | 'goesBack'> = {
  name: 'open rows',
  keysOf: (row) => {
    if (!hasEnded(row)) return ['open'];
    return row.rollbackQueued ? ['goesBack'] : [];
  },
};

/** Whether nothing is left to do; a rollback that waits is, and so is an approval of what has been proven. */
export function isFleetOver(state: FleetState): boolean {
  const busy = countIn(state.rows, OPEN_ROWS, 'open') + countIn(state.rows, OPEN_ROWS, 'goesBack');
  return busy === 0 && (state.stopped || !state.waves.some((wave) => awaitsSignOff(state, wave)));
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
  return waits && countIn(state.rows, IN_WAVES, `${wave.index} proven`) > 0;
}

/** Whether every canary has ended and one of them is proven. A wave without canaries needs none. */
export function canariesPassed({ rows }: FleetState, { index }: Wave): boolean {
  if (countIn(rows, IN_WAVES, `${index} canary`) === 0) return true;
  const over = countIn(rows, IN_WAVES, `${index} canaryUnfinished`) === 0;
  return over && countIn(rows, IN_WAVES, `${index} canaryProven`) > 0;
}
