import type { FleetState } from './fleet-state.js';
import { parksAtMs } from './timed.js';
import { isFleetOver, waveEndMs } from './waves.js';

/** What the fleet does next by the clock alone, whatever its clusters report before. */
export interface NextEvent {
  readonly kind:
    | 'slotTakenBack'
    | 'soakLimit'
    | 'retry'
    | 'waveDue'
    | 'opening'
    | 'startTime'
    | 'deadline'
    | 'limitsExpire';
  readonly atMs: number;
  /** A cluster or a wave; empty for the fleet. */
  readonly subject: string;
}

/** Null where nothing is timed: the fleet waits for reports or people, or is over. */
export function nextEvent(state: FleetState): NextEvent | null {
  if (isFleetOver(state)) return null;
  return timedEvents(state)
    .filter(({ atMs }) => atMs > state.nowMs)
    .reduce<NextEvent | null>(
      (least, each) => (least === null || each.atMs < least.atMs ? each : least),
      null,
    );
}

function timedEvents(state: FleetState): readonly NextEvent[] {
  const { startAtMs, deadlineMs, approvalExpiryMs } = state.policy;
  const { pendingLimits } = state;
  return [
    ...rowEvents(state),
    ...waveEvents(state),
    ...at('startTime', startAtMs),
    ...at('deadline', deadlineMs),
    ...at('limitsExpire', pendingLimits === null ? null : pendingLimits.atMs + approvalExpiryMs),
  ];
}

function at(kind: NextEvent['kind'], atMs: number | null, subject = ''): readonly NextEvent[] {
  return atMs === null ? [] : [{ kind, atMs, subject }];
}

function rowEvents(state: FleetState): readonly NextEvent[] {
  return state.rows.flatMap((row) => {
    const { name, phase, notBeforeMs, rollbackQueued } = row;
    const retries = phase === 'waiting' || rollbackQueued;
    return [
      ...at(phase === 'soaking' ? 'soakLimit' : 'slotTakenBack', parksAtMs(state, row), name),
      ...at('retry', retries ? notBeforeMs : null, name),
    ];
  });
}

function waveEvents({ waves }: FleetState): readonly NextEvent[] {
  return waves.flatMap((wave) => [
    ...at('waveDue', wave.over ? null : waveEndMs(wave), wave.name),
    ...wave.openings.flatMap(({ opensAtMs }) => at('opening', opensAtMs, wave.name)),
  ]);
}
