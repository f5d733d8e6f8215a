import { higherLimits } from './awaited-limits.js';
import type { FleetPlan, RolloutPolicy, RowPlan, WavePlan } from './fleet-plan.js';
import { ended, hasEnded, wasChanged } from './fleet-rows.js';
import { FRESH_WAVE, freshRow } from './fleet-state.js';
import type { Brake, FleetState, PendingLimits, Row, Wave } from './fleet-state.js';
import { UNKNOWN } from './other-runs.js';
import { signerIn } from './same-signer.js';
import type { Origin, SettingsTexts } from './revised-settings.js';
import { revisionChanges, type RevisionChanges } from './revision-changes.js';

/** The form in which a new plan is sent; a fleet refuses one that it does not know. */
export const REVISION_FORMAT = 1;

/** A new plan for a fleet that is open. */
export interface FleetRevision {
  readonly commandId: string;
  readonly actor: string;
  /** Whose key signed it; absent where no one signs. */
  readonly principal?: string;
  readonly reason: string;
  /** First run id and revision of the fleet that the sender saw. */
  readonly fleetRun: string;
  readonly revision: number;
  readonly plan: Pick<FleetPlan, 'planDigest' | 'policy' | 'waves' | 'rows'>;
  readonly texts: SettingsTexts;
}

export interface RevisedFleet {
  readonly kind: 'revised';
  readonly state: FleetState;
  readonly changes: RevisionChanges;
  /** One for each wave and for each row of the state. */
  readonly waves: readonly Origin[];
  readonly members: readonly Origin[];
}

export type RevisionResult =
  | RevisedFleet
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly detail: string };

/**
 * The fleet by a new plan. It only changes what waits: clusters that have begun stay as they are, those that are new join the wave
 * that the plan names, or the last open one, and those that are gone are left out. Rows keep their numbers, because runs report by
 * them. Approvals are given again; limits go down at once, and up as with `set`; the failure budget never goes up here.
 */
export function reviseFleet(
  state: FleetState,
  revision: FleetRevision,
  before: SettingsTexts,
): RevisionResult {
  const { plan } = revision;
  const fixed = fixedWaves(state);
  const detail = refusal(state, revision, fixed);
  if (detail !== null) return { kind: 'refused', detail };
  const waves = plan.waves.map((wave, index) =>
    revisedWave(state.waves[index], wave, index, fixed),
  );
  const brakes = movedBrakes(state, waves);
  if (brakes.kind === 'refused') return brakes;
  const rows = revisedRows(state, plan.rows, waves, fixed);
  if (rows.kind === 'refused') return rows;
  const { policy, pendingLimits } = revisedPolicy(state, revision);
  const next: FleetState = {
    ...state,
    ...{ requester: revision.actor, planDigest: plan.planDigest, revision: state.revision + 1 },
    ...requestedBy(revision),
    ...{ policy, pendingLimits, waves, rows: rows.rows, brakes: brakes.brakes },
    // They were counted in the groups that the caps of the plan before were about.
    otherRuns: UNKNOWN,
  };
  const origins = {
    waves: waves.map(({ over }, index): Origin => ({ from: over ? 'before' : 'plan', index })),
    members: rows.origins,
  };
  const changes = revisionChanges(state, next, {
    ...origins,
    ...{ before, after: revision.texts, wanted: plan.policy },
  });
  if (!changes.any) return { kind: 'unchanged' };
  return { kind: 'revised', state: next, changes, ...origins };
}

function requestedBy({ principal }: FleetRevision): Pick<FleetState, 'requesterPrincipal'> {
  return principal === undefined ? {} : { requesterPrincipal: principal };
}

/** How many waves, from the first, have begun or hold a cluster that has. */
function fixedWaves({ waves, rows }: FleetState): number {
  const begun = waves.filter(({ over, begunMs }) => over || begunMs !== null);
  const indexes = [
    ...begun.map(({ index }) => index),
    ...rows.filter((row) => !isUntouched(row)).map(({ wave }) => wave),
  ];
  return indexes.reduce((most, index) => Math.max(most, index + 1), 0);
}

/** Waits, and no run of this fleet has changed it. */
function isUntouched(row: Row): boolean {
  return row.phase === 'waiting' && !wasChanged(row);
}

function refusal(
  state: FleetState,
  { fleetRun, revision, plan }: FleetRevision,
  fixed: number,
): string | null {
  if (fleetRun !== state.fleetRun) return 'it was made for another fleet of this name';
  if (revision !== state.revision) {
    return `the fleet was revised meanwhile: it has revision ${state.revision}, and this one follows ${revision}`;
  }
  if (state.stopped) return 'the fleet is stopping';
  if (state.lastPassBegun) return 'its last pass has begun: start another fleet for what is new';
  const [moved] = state.waves
    .slice(0, fixed)
    .filter(({ name, index }) => plan.waves[index]?.name !== name);
  if (moved === undefined) return null;
  return `wave ${moved.name} has begun: it must stay wave ${moved.index + 1} of the plan`;
}

/** A wave that has begun waits for its approvals again, if it has any. */
function revisedWave(now: Wave | undefined, plan: WavePlan, index: number, fixed: number): Wave {
  if (now === undefined || index >= fixed) return { ...plan, index, ...FRESH_WAVE };
  if (now.over) return { ...now, overAtRevision: true };
  return {
    ...now,
    ...plan,
    begunMs: plan.approvals.before > 0 ? null : now.begunMs,
    ...{ approvedBefore: [], approvedAfter: [], rejected: null, openings: [] },
  };
}

type MovedBrakes =
  | { readonly kind: 'moved'; readonly brakes: readonly Brake[] }
  | { readonly kind: 'refused'; readonly detail: string };

/** A pause of a wave follows the wave by its name; it never ends because a plan forgot the wave. */
function movedBrakes({ brakes, waves: before }: FleetState, waves: readonly Wave[]): MovedBrakes {
  const moved: Brake[] = [];
  for (const brake of brakes) {
    const { scope } = brake;
    if (scope.kind !== 'wave') {
      moved.push(brake);
      continue;
    }
    const name = before.flatMap((each) => (each.index === scope.wave ? [each.name] : [])).join('');
    const wave = waves.findIndex((each) => each.name === name);
    if (wave === -1) {
      const detail = `wave ${name} is held by ${brake.actor}, and the plan has no such wave: release it first`;
      return { kind: 'refused', detail };
    }
    moved.push({ ...brake, scope: { kind: 'wave', wave } });
  }
  return { kind: 'moved', brakes: moved };
}

type RevisedRows =
  | { readonly kind: 'rows'; readonly rows: readonly Row[]; readonly origins: readonly Origin[] }
  | { readonly kind: 'refused'; readonly detail: string };

function revisedRows(
  state: FleetState,
  plans: readonly RowPlan[],
  waves: readonly Wave[],
  fixed: number,
): RevisedRows {
  const lastOpen = waves.findLastIndex(({ over }) => !over);
  const openWave = (wave: number): number => (waves[wave]?.over === true ? lastOpen : wave);
  const planned = new Map(plans.map((plan, index) => [plan.name, { plan, index }]));
  const known = new Set(state.rows.map(({ name }) => name));
  const old = state.rows.map((row): readonly [Row, Origin] => {
    const found = planned.get(row.name);
    const kept: Origin = { from: 'before', index: row.index };
    if (found === undefined) return [isUntouched(row) ? leftOut(state, row) : row, kept];
    const origin: Origin = { from: 'plan', index: found.index };
    if (isUntouched(row))
      return [replanned(row, found.plan, openWave(found.plan.wave), fixed), origin];
    return [row, isPlannedAgain(row, waves) ? origin : kept];
  });
  const joins = plans.flatMap((plan, index) => (known.has(plan.name) ? [] : [{ plan, index }]));
  if (lastOpen === -1 && joins.length > 0) {
    return { kind: 'refused', detail: 'every wave is over: start another fleet for what is new' };
  }
  const joined = joins.map(({ plan, index: from }, position): readonly [Row, Origin] => {
    const index = state.rows.length + position;
    const fresh = freshRow({ ...plan, canary: false }, index, state.nowMs);
    return [replanned(fresh, plan, openWave(plan.wave), fixed), { from: 'plan', index: from }];
  });
  const all = [...old, ...joined];
  return { kind: 'rows', rows: all.map(([row]) => row), origins: all.map(([, origin]) => origin) };
}

/**
 * It ended before it changed: another try takes the settings of its wave, so that it must find the cluster as their plan does. A wave
 * that is over keeps its own.
 */
function isPlannedAgain(row: Row, waves: readonly Wave[]): boolean {
  return hasEnded(row) && !wasChanged(row) && waves[row.wave]?.over !== true;
}

function leftOut(state: FleetState, row: Row): Row {
  return ended(state, row, { phase: 'skipped', cause: 'person' });
}

/** A wave that has begun gets no further canaries: its other clusters may have gone on the word of those that it had. */
function replanned(row: Row, plan: RowPlan, wave: number, fixed: number): Row {
  const canary = wave >= fixed ? plan.canary : row.wave === wave && row.canary;
  return { ...row, ...plan, wave, canary, lastPass: false };
}

function revisedPolicy(
  { policy: now, nowMs }: FleetState,
  { actor, principal, plan: { policy: next } }: FleetRevision,
): { readonly policy: RolloutPolicy; readonly pendingLimits: PendingLimits | null } {
  const { inFlight, unproven } = next;
  const asked = higherLimits(next, now);
  const isStricter = next.budget.counts === 'untilProven';
  return {
    policy: {
      ...next,
      inFlight: Math.min(inFlight, now.inFlight),
      unproven: Math.min(unproven, now.unproven),
      budget: {
        clusters: Math.min(next.budget.clusters, now.budget.clusters),
        counts: isStricter ? 'untilProven' : now.budget.counts,
      },
    },
    pendingLimits:
      asked.length === 0
        ? null
        : { inFlight, unproven, asked, actor, ...signerIn({ principal }), atMs: nowMs },
  };
}
