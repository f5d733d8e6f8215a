import { awaitedLimits, limitsText } from './awaited-limits.js';
import { isSamePerson } from '../run/same-person.js';
import type { Brake, BrakeScope, FleetState, Row, Wave } from './fleet-state.js';
import { hasEnded } from './fleet-rows.js';
import type { Headroom } from './headroom.js';
import { isIn } from './correlation.js';
import type { CommandWords, NeedYou } from './need-you.js';
import type { RowGroup } from './row-groups.js';
import { covers } from './wait-reasons.js';
import { isEndAwaited, isFleetOver, waveEndMs } from './waves.js';
import { wordNeeds } from './word-needs.js';

interface Seen {
  readonly fleet: string;
  readonly state: FleetState;
  readonly headroom: Headroom;
  readonly groups: readonly RowGroup[];
}

/** Everything that waits for a person, what is broken first. */
export function needsOf(seen: Seen): readonly NeedYou[] {
  const { fleet, state, groups } = seen;
  const broken = [...failedNeeds(seen), ...heldNeeds(seen)];
  if (state.stopped || isFleetOver(state)) return broken;
  return [
    ...broken,
    ...wordNeeds(fleet, state, groups),
    ...groupNeeds(seen),
    ...budgetNeeds(seen),
    ...state.waves.flatMap((wave) => waveNeeds(seen, wave)),
    ...limitNeeds(seen),
    ...deadlineNeeds(seen),
    ...state.brakes.map((brake) => brakeNeed(seen, brake)),
  ];
}

/** A rollback that waits for its slot needs no one. */
function failedNeeds({ fleet, groups }: Seen): readonly NeedYou[] {
  return groups
    .filter(({ phase, rollbackQueued }) => phase === 'failed' && !rollbackQueued)
    .map((group) => ({
      ...clusterNeed(fleet, group),
      kind: 'failed',
      why: `failed${because(group.signature)}`,
    }));
}

function heldNeeds({ fleet, groups }: Seen): readonly NeedYou[] {
  return groups
    .filter(({ waitsFor }) => waitsFor?.kind === 'person' && waitsFor.word === null)
    .map((group) => ({
      ...clusterNeed(fleet, group),
      kind: 'held',
      why:
        group.cause === 'soakLimit'
          ? 'soaks longer than its wave allows'
          : `held${because(group.signature)}`,
    }));
}

function because(signature: string): string {
  return signature === '' ? '' : `: ${signature}`;
}

function clusterNeed(
  fleet: string,
  { names, sinceMs, signature }: RowGroup,
): Omit<NeedYou, 'kind' | 'why'> {
  const first = names.slice(0, 1).join('');
  const one = `${fleet}/${first}`;
  const isOne = names.length === 1;
  const retryAll: CommandWords =
    signature === '' ? ['retry', fleet] : ['retry', fleet, '--signature', signature];
  return {
    ...{ sinceMs, names, who: '', subject: isOne ? first : `${names.length} clusters` },
    command: ['describe', one],
    others: isOne
      ? [
          ['retry', one],
          ['rollback', one],
        ]
      : [retryAll, ['rollback', one]],
  };
}

function groupNeeds({ fleet, state }: Seen): readonly NeedYou[] {
  return state.groupHolds.map(({ group, signature, sinceMs }) => {
    const waiting = state.rows.filter((row) => isIn(row, group) && row.phase === 'waiting');
    const isFleet = group === '*';
    return {
      ...{ kind: 'group', sinceMs, who: '', subject: isFleet ? fleet : group, others: [] },
      why: `failures with one cause hold it${because(signature)}; ${waiting.length} of its clusters wait`,
      names: state.rows
        .filter((row) => isIn(row, group) && row.burntBy === signature && row.burntMs !== null)
        .map(({ name }) => name),
      command: isFleet ? ['resume', fleet] : ['resume', fleet, '-l', group],
    };
  });
}

/** While clusters that change may still give their reservation back, the fleet goes on by itself. */
function budgetNeeds({ fleet, state, headroom, groups }: Seen): readonly NeedYou[] {
  const { clusters: limit } = state.policy.budget;
  const waits = groups.some(({ waitsFor }) => waitsFor?.kind === 'budget');
  if (headroom.burnt < limit || !waits) return [];
  const times = state.rows.flatMap(({ burntMs }) => (burntMs === null ? [] : [burntMs]));
  return [
    {
      ...{ kind: 'budget', sinceMs: Math.max(...times), subject: fleet, names: [], others: [] },
      why: `the failure budget is spent: ${headroom.burnt} of ${limit}`,
      who: `anyone but ${state.requester}`,
      command: ['budget', fleet, '--clusters', String(headroom.burnt + 1)],
    },
  ];
}

function waveNeeds(seen: Seen, wave: Wave): readonly NeedYou[] {
  const { fleet, state, headroom } = seen;
  const standing = headroom.waves[wave.index]?.standing;
  const at = `${fleet}/wave/${wave.name}`;
  const base = { subject: `wave ${wave.name}`, names: [], who: '', others: [] } as const;
  switch (standing?.kind) {
    case 'approvalBefore':
      return [approvalNeed(seen, wave, standing)];
    case 'approvalAfter':
      return isEndAwaited(state, wave) ? [approvalNeed(seen, wave, standing)] : [];
    case 'rejected': {
      const why = `rejected by ${standing.actor}: ${standing.reason}`;
      const who = approversOf(seen, wave);
      return [{ ...base, kind: 'rejected', sinceMs: null, why, who, command: ['approve', at] }];
    }
    case 'short':
      return [shortNeed(seen, wave, standing.missing)];
    case 'running':
      return stuckCanaries(seen, wave)
        ? [
            {
              ...{ ...base, kind: 'canaries', sinceMs: lastEndMs(state, [wave.index]) },
              why: 'no canary is proven, so that the others wait',
              command: ['open', at],
              others: [['retry', at]],
            },
          ]
        : [];
    case 'order':
    case 'startTime':
    case 'over':
    case undefined:
      return [];
  }
}

function approvalNeed(
  seen: Seen,
  wave: Wave,
  {
    kind,
    missing,
  }: { readonly kind: 'approvalBefore' | 'approvalAfter'; readonly missing: number },
): NeedYou {
  const { fleet, state } = seen;
  const isBefore = kind === 'approvalBefore';
  const earlier = state.waves.filter(({ index }) => index < wave.index).map(({ index }) => index);
  const since = lastEndMs(state, isBefore ? earlier : [wave.index]);
  const at = `${fleet}/wave/${wave.name}`;
  return {
    ...{ kind: 'approval', subject: `wave ${wave.name}`, names: [] },
    sinceMs: Math.max(since ?? state.beganMs, isBefore ? (state.policy.startAtMs ?? 0) : 0),
    why: `waits for ${missing} more ${missing === 1 ? 'approval' : 'approvals'} ${isBefore ? 'before it begins' : 'after its last end'}`,
    who: approversOf(seen, wave),
    command: ['approve', at],
    others: [['reject', at]],
  };
}

function approversOf({ state }: Seen, { approvers }: Wave): string {
  return approvers === null
    ? `anyone but ${state.requester}`
    : approvers.filter((each) => !isSamePerson(each, state.requester)).join(', ');
}

function shortNeed({ fleet, state }: Seen, wave: Wave, missing: number): NeedYou {
  const at = `${fleet}/wave/${wave.name}`;
  const next = state.waves.find(({ index, early }) => index > wave.index && !early);
  return {
    ...{ kind: 'short', subject: `wave ${wave.name}`, names: [], who: '' },
    sinceMs: waveEndMs(wave),
    why: `${missing} proven ${missing === 1 ? 'cluster is' : 'clusters are'} missing for its end`,
    command: ['retry', at],
    others: [
      ['skip', at],
      ...(next === undefined ? [] : ([['open', `${fleet}/wave/${next.name}`]] as const)),
    ],
  };
}

function stuckCanaries({ state, headroom }: Seen, wave: Wave): boolean {
  const ofWave = state.rows.filter((row) => row.wave === wave.index);
  const waits = ofWave.some((row) => row.phase === 'waiting' && !row.canary);
  const over = ofWave.every((row) => !row.canary || hasEnded(row));
  return waits && over && headroom.waves[wave.index]?.canariesPassed === false;
}

/** When the last cluster of these waves ended; null without one. */
function lastEndMs({ rows }: FleetState, waves: readonly number[]): number | null {
  const ends = rows
    .filter((row) => waves.includes(row.wave) && hasEnded(row))
    .map(({ sinceMs }) => sinceMs);
  return ends.length === 0 ? null : ends.reduce((a, b) => Math.max(a, b));
}

function limitNeeds({ fleet, state }: Seen): readonly NeedYou[] {
  const awaited = awaitedLimits(state);
  if (awaited === null) return [];
  const { actor, atMs } = awaited;
  const { policy } = state;
  return [
    {
      ...{ kind: 'limits', sinceMs: atMs, subject: fleet, names: [] },
      why: `${actor} asks for ${limitsText(awaited)}, instead of ${limitsText(policy)}`,
      who: `anyone but ${actor}`,
      command: ['approve', fleet, '--limits'],
      others: [['reject', fleet, '--limits']],
    },
  ];
}

function deadlineNeeds({ fleet, state, groups }: Seen): readonly NeedYou[] {
  const waiting = groups.filter(({ waitsFor }) => waitsFor?.kind === 'deadline');
  if (waiting.length === 0) return [];
  const count = waiting.reduce((sum, { names }) => sum + names.length, 0);
  return [
    {
      ...{ kind: 'deadline', sinceMs: state.policy.deadlineMs, subject: fleet, names: [] },
      ...{ who: '', command: ['resume', fleet], others: [['stop', fleet]] },
      why: `its deadline is over, and ${count} clusters have not started`,
    },
  ];
}

function brakeNeed({ fleet, state }: Seen, brake: Brake): NeedYou {
  const { kind, actor, reason, scope, commandId } = brake;
  const rows = state.rows.filter((row) => covers(scope, row));
  const [verb, word] = kind === 'freeze' ? ['unfreeze', 'frozen'] : ['resume', 'paused'];
  const target = typedScope(state, fleet, scope, rows);
  return {
    kind: kind === 'freeze' ? 'frozen' : 'paused',
    sinceMs: state.answers[commandId]?.atMs ?? null,
    subject: subjectOf(state, fleet, scope, rows),
    why: `${word} by ${actor}: ${reason}`,
    who: '',
    names: scope.kind === 'rows' ? rows.map(({ name }) => name) : [],
    command: [verb, ...target],
    others: [],
  };
}

function subjectOf(
  { waves }: FleetState,
  fleet: string,
  scope: BrakeScope,
  rows: readonly Row[],
): string {
  switch (scope.kind) {
    case 'fleet':
      return fleet;
    case 'wave':
      return `wave ${waveName(waves, scope.wave)}`;
    case 'rows':
      return rows.length === 1 ? rows.map(({ name }) => name).join('') : `${rows.length} clusters`;
  }
}

/** The words that name a scope: rows by their label where one names exactly them, else the first. */
function typedScope(
  { waves, rows: all }: FleetState,
  fleet: string,
  scope: BrakeScope,
  rows: readonly Row[],
): readonly string[] {
  if (scope.kind === 'fleet') return [fleet];
  if (scope.kind === 'wave') return [`${fleet}/wave/${waveName(waves, scope.wave)}`];
  const group = rows
    .flatMap(({ groups }) => groups)
    .find(
      (each) =>
        rows.length > 1 &&
        all.filter((row) => row.groups.includes(each)).length === rows.length &&
        rows.every((row) => row.groups.includes(each)),
    );
  const first = rows.slice(0, 1).map(({ name }) => name);
  return group === undefined ? [`${fleet}/${first.join('')}`] : [fleet, '-l', group];
}

function waveName(waves: FleetState['waves'], wave: number): string {
  return waves
    .filter(({ index }) => index === wave)
    .map(({ name }) => name)
    .join('');
}
