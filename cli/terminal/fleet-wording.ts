import { awaitsGuard } from '../../domain/fleet/awaited-word.js';
import { PHASES, type Row, type RowPhase } from '../../domain/fleet/fleet-state.js';
import type { NextEvent } from '../../domain/fleet/next-event.js';
import type { WaitReason } from '../../domain/fleet/wait-reasons.js';
import type { WaveStanding } from '../../domain/fleet/waves.js';

/** Each phase as people read it. */
export const PHASE_WORDS: Readonly<Record<RowPhase, string>> = {
  waiting: 'waiting',
  active: 'moving',
  stalled: 'stalled',
  parking: 'parking',
  parked: 'held',
  soaking: 'soaking',
  proven: 'proven',
  failed: 'failed',
  back: 'rolled back',
  stopped: 'stopped',
  skipped: 'skipped',
};

/** `300 proven, 50 moving`: only what there is. */
export function phasesText(rows: readonly Pick<Row, 'phase'>[]): string {
  return PHASES.flatMap((phase) => {
    const count = rows.filter((row) => row.phase === phase).length;
    return count === 0 ? [] : [`${count} ${PHASE_WORDS[phase]}`];
  }).join(', ');
}

/** Times of day are UTC, as in Kubernetes logs; another day is named. */
export function clockText(atMs: number, nowMs: number): string {
  const [date, day] = [new Date(atMs).toISOString(), new Date(nowMs).toISOString().slice(0, 10)];
  const time = `${date.slice(11, 16)}Z`;
  return date.startsWith(day) ? time : `${date.slice(0, 10)} ${time}`;
}

/** What a cluster waits for, in a few words. */
export function waitText(reason: WaitReason, nowMs: number): string {
  switch (reason.kind) {
    case 'paused':
    case 'frozen':
      return `${reason.kind === 'paused' ? 'resume' : 'unfreeze'} (${reason.kind} by ${reason.actor}: ${reason.reason})`;
    case 'deadline':
      return `the deadline was ${clockText(reason.atMs, nowMs)}`;
    case 'lastPass':
      return 'the last pass';
    case 'stopping':
      return 'its run to stop';
    case 'wave':
      return standingText(reason.standing, nowMs);
    case 'canary':
      return 'a proven canary';
    case 'retry':
      return retryText(reason, nowMs);
    case 'group':
      return groupHoldText(reason);
    case 'window':
      return reason.opensAtMs === null
        ? 'no known opening is long enough'
        : `${reason.closedBy === 'window' ? 'its window' : 'an excluded date'}, until ${clockText(reason.opensAtMs, nowMs)}`;
    case 'cap':
      return capText(reason);
    case 'others':
      return othersText(reason, nowMs);
    case 'inFlight':
      return `in flight ${reason.moving}/${reason.limit}`;
    case 'unproven':
      return `unproven ${reason.unproven}/${reason.limit}`;
    case 'budget':
      return `failure budget: ${reason.burnt} failed and ${reason.atRisk} at risk of ${reason.limit}`;
    case 'healing':
      return awaitsGuard(reason.signature) ? ITS_GUARD : `the cause to pass: ${reason.signature}`;
    case 'person':
      return personText(reason);
  }
}

/** A worker takes it as soon as it has a slot and time for it. */
const ITS_GUARD = 'its guard: no worker of its region has room for it';

/** Why a cluster is as it is, in its fleet's words and the run's; empty where there is nothing to say. */
export function causeText({ cause, signature }: Pick<Row, 'cause' | 'signature'>): string {
  if (cause === 'queued' && awaitsGuard(signature)) return `waits for ${ITS_GUARD}`;
  return [cause === 'none' ? '' : cause, signature].filter((text) => text !== '').join(': ');
}

function retryText(
  { atMs, cause, signature }: Extract<WaitReason, { kind: 'retry' }>,
  nowMs: number,
): string {
  const again = `another try at ${clockText(atMs, nowMs)}`;
  if (cause === 'none') return again;
  return `${again} (${cause === 'queued' ? causeText({ cause, signature }) : cause})`;
}

function groupHoldText({ group, by, signature }: Extract<WaitReason, { kind: 'group' }>): string {
  const who = group === '*' ? 'the fleet' : group;
  if (by === 'stalls' && awaitsGuard(signature)) return `the clusters of ${who} that are queued`;
  return `${who} is held by ${by}: ${signature}`;
}

function personText({ word, signature }: Extract<WaitReason, { kind: 'person' }>): string {
  if (word === 'resume') return 'a person to resume it';
  return word === 'approval' ? `its approval: ${signature}` : `a person: ${signature}`;
}

function capText({ group, cap, others }: Extract<WaitReason, { kind: 'cap' }>): string {
  return `cap of ${group}: ${cap}${others === 0 ? '' : `, others change ${others}`}`;
}

function othersText(
  { group, countedAtMs }: Extract<WaitReason, { kind: 'others' }>,
  nowMs: number,
): string {
  const last = countedAtMs === null ? '' : ` (last at ${clockText(countedAtMs, nowMs)})`;
  return `a count of what others change in ${group}${last}`;
}

/** Where a wave is, in a few words. */
export function standingText(standing: WaveStanding, nowMs: number): string {
  switch (standing.kind) {
    case 'order':
      return `wave ${standing.wave + 1} first`;
    case 'startTime':
      return `starts at ${clockText(standing.atMs, nowMs)}`;
    case 'rejected':
      return `rejected by ${standing.actor}`;
    case 'approvalBefore':
      return `${standing.missing} ${standing.missing === 1 ? 'approval' : 'approvals'} missing`;
    case 'running':
      return 'running';
    case 'short':
      return `${standing.missing} proven missing`;
    case 'approvalAfter':
      return `${standing.missing} ${standing.missing === 1 ? 'approval' : 'approvals'} missing after`;
    case 'over':
      return 'over';
  }
}

/** The next thing that happens by the clock. */
export function eventText({ kind, atMs, subject }: NextEvent, nowMs: number): string {
  const at = clockText(atMs, nowMs);
  const what: Readonly<Record<NextEvent['kind'], string>> = {
    slotTakenBack: `${subject} loses its slot unless it goes on`,
    soakLimit: `the soak of ${subject} is too long`,
    retry: `${subject} is tried again`,
    waveDue: `wave ${subject} is due`,
    opening: `wave ${subject} opens`,
    startTime: 'the fleet starts',
    deadline: 'the deadline, nothing starts after it',
    limitsExpire: 'the higher limits expire without approval',
  };
  return `${at} ${what[kind]}`;
}
