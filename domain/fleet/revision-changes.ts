import { canonicalJson } from '../digest.js';
import type { RolloutPolicy } from './fleet-plan.js';
import { hasEnded } from './fleet-rows.js';
import type { FleetState, Row } from './fleet-state.js';
import type { Origin, SettingsTexts } from './revised-settings.js';

/** What a revision changes, for people: clusters and waves by name. */
export interface RevisionChanges {
  readonly any: boolean;
  readonly joins: readonly JoiningCluster[];
  /** They wait, and the plan no longer has them. */
  readonly leaves: readonly string[];
  readonly moves: readonly MovedCluster[];
  /** They wait, or ended before they changed, and their steps or settings are planned again. */
  readonly replanned: readonly string[];
  /** Clusters that have begun and have not ended: the plan does not change them. */
  readonly underWay: number;
  readonly waves: readonly ChangedWave[];
  readonly policy: readonly ChangedSetting[];
  /** The plan allows more clusters to burn than the fleet: only `budget` raises that. */
  readonly keptBudget: number | null;
  /** Waves that wait for approvals again. */
  readonly approvedAgain: readonly string[];
}

export interface JoiningCluster {
  readonly name: string;
  readonly wave: string;
}

export interface MovedCluster extends JoiningCluster {
  readonly from: string;
}

export interface ChangedWave {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
}

export interface ChangedSetting {
  readonly name: string;
  /** As JSON. */
  readonly before: string;
  readonly after: string;
}

interface Origins {
  readonly waves: readonly Origin[];
  readonly members: readonly Origin[];
  readonly before: SettingsTexts;
  readonly after: SettingsTexts;
  /** The limits that the plan asks for. */
  readonly wanted: RolloutPolicy;
}

export function revisionChanges(
  before: FleetState,
  after: FleetState,
  origins: Origins,
): RevisionChanges {
  const joined = after.rows.slice(before.rows.length);
  const pairs = before.rows.flatMap((was, index) =>
    after.rows.slice(index, index + 1).map((row) => ({ row, was })),
  );
  const changes = {
    joins: joined.map(({ name, wave }) => ({ name, wave: waveName(after, wave) })),
    leaves: names(pairs.filter(({ row, was }) => row.phase !== was.phase)),
    moves: pairs.flatMap(({ row, was }) => moved(before, after, was, row)),
    replanned: names(pairs.filter((pair) => isReplanned(pair, origins))),
    waves: changedWaves(before, after, origins),
    policy: changedPolicy(before, after, origins.wanted),
  };
  const [kept, wanted] = [after.policy.budget.clusters, origins.wanted.budget.clusters];
  return {
    ...changes,
    any: Object.values(changes).some(({ length }) => length > 0),
    underWay: before.rows.filter((row) => row.phase !== 'waiting' && !hasEnded(row)).length,
    keptBudget: wanted > kept ? kept : null,
    approvedAgain: after.waves
      .filter(({ over, approvals }) => !over && approvals.before + approvals.after > 0)
      .map(({ name }) => name),
  };
}

interface Pair {
  readonly row: Row;
  readonly was: Row;
}

function names(pairs: readonly Pair[]): readonly string[] {
  return pairs.map(({ row }) => row.name);
}

function waveName({ waves }: FleetState, index: number): string {
  return waves
    .slice(index, index + 1)
    .map(({ name }) => name)
    .join('');
}

function moved(before: FleetState, after: FleetState, was: Row, row: Row): readonly MovedCluster[] {
  const [from, wave] = [waveName(before, was.wave), waveName(after, row.wave)];
  return from === wave ? [] : [{ name: row.name, from, wave }];
}

/** Canaries and labels are of the plan too. */
function isReplanned({ row, was }: Pair, { members, before, after }: Origins): boolean {
  const origin = members[row.index];
  if (origin === undefined || origin.from === 'before' || row.phase !== was.phase) return false;
  const isSame = before.members[row.index] === after.members[origin.index];
  return !isSame || row.canary !== was.canary || row.groups.join() !== was.groups.join();
}

function changedWaves(
  { waves: was }: FleetState,
  { waves: now }: FleetState,
  { before, after }: Origins,
): readonly ChangedWave[] {
  const removed = was.filter(({ name }) => !now.some((wave) => wave.name === name));
  const others = now.flatMap((wave): readonly ChangedWave[] => {
    const old = was.find(({ name }) => name === wave.name);
    if (old === undefined) return [{ name: wave.name, change: 'added' }];
    const isSame =
      wave.over ||
      (old.index === wave.index &&
        before.waves[old.index] === after.waves[wave.index] &&
        canonicalJson(planOf(old)) === canonicalJson(planOf(wave)));
    return isSame ? [] : [{ name: wave.name, change: 'changed' }];
  });
  return [...removed.map(({ name }) => ({ name, change: 'removed' as const })), ...others];
}

function planOf(wave: FleetState['waves'][number]): readonly unknown[] {
  const { done, soakLimitMs, approvals, approvers, scheduled, rehearseRollback } = wave;
  const { before, after } = approvals;
  return [done, soakLimitMs, before, after, approvers, scheduled, rehearseRollback];
}

/** Limits that wait for approval are shown as the plan has them. */
function changedPolicy(
  { policy: was }: FleetState,
  { policy: now }: FleetState,
  { inFlight, unproven }: RolloutPolicy,
): readonly ChangedSetting[] {
  const wanted: RolloutPolicy = { ...now, inFlight, unproven };
  return SETTINGS.flatMap((name): readonly ChangedSetting[] => {
    const [before, after] = [canonicalJson(was[name]), canonicalJson(wanted[name])];
    return before === after ? [] : [{ name, before, after }];
  });
}

const SETTINGS = [
  ...([
    'inFlight',
    'unproven',
    'caps',
    'budget',
    'slowStart',
    'correlated',
    'stalledForMs',
  ] as const),
  ...(['onFailure', 'unreachable', 'busy', 'drifted', 'retryAfterMs'] as const),
  ...(['approvalExpiryMs', 'startAtMs', 'deadlineMs'] as const),
] satisfies readonly (keyof RolloutPolicy)[];

/** The answer to the person who revised the fleet. */
export function revisionText(revision: number, changes: RevisionChanges): string {
  const { joins, leaves, moves, replanned, underWay, keptBudget } = changes;
  const counts = [
    [joins.length, 'joining'],
    [leaves.length, 'left out'],
    [moves.length, 'in another wave'],
    [replanned.length, 'planned again'],
    [underWay, 'under way, unchanged'],
  ] as const;
  const said = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const budget = keptBudget === null ? [] : [`the failure budget stays ${keptBudget}`];
  return `revision ${revision}: ${[...said, ...budget].join(', ') || 'settings changed'}`;
}
