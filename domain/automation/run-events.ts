import { digestJson } from '../digest.js';
import { isAutomation } from '../run/automation.js';
import type { RunStatus } from '../run/run-status.js';

export const RUN_EVENT_KINDS = [
  'began',
  'held',
  'paused',
  'turned',
  'gateFailed',
  'ended',
] as const;

/** Something that happened to a run, for programs that were not watching. */
export interface OutgoingEvent {
  /** The same however often, and by however many servers, it is noticed. */
  readonly id: string;
  readonly kind: (typeof RUN_EVENT_KINDS)[number];
  /** Epoch ms on Temporal's clock; null where a status does not say when. */
  readonly atMs: number | null;
  readonly run: EventfulRun;
  /** What is particular to the kind. Plain JSON. */
  readonly what: Readonly<Record<string, unknown>>;
}

export interface EventfulRun {
  readonly workflowId: string;
  /** Of its first execution, so that a run that continues as new stays the same run. */
  readonly runId: string;
  readonly cluster: string;
  /** Empty for a cluster on its own. */
  readonly fleet: string;
}

export function runBegan(run: EventfulRun, atMs: number | null): OutgoingEvent {
  return event(run, 'began', atMs, [], {});
}

/** `execution`: how Temporal closed it; `outcome` is null where the run itself could not say it. */
export function runEnded(
  run: EventfulRun,
  atMs: number | null,
  end: { readonly execution: string; readonly outcome: string | null },
): OutgoingEvent {
  return event(run, 'ended', atMs, [], end);
}

type Told = Pick<
  RunStatus,
  'pause' | 'pausedBy' | 'target' | 'targetReason' | 'requestedBy' | 'holdReason'
> &
  Pick<RunStatus, 'whoActs' | 'findings' | 'gates' | 'inFlight'> & {
    /** Since when it has been doing this; epoch ms. */
    readonly sinceMs: number | null;
  };

/** What a status says has happened. Each is said again for as long as it stands, with the same id. */
export function eventsOfStatus(run: EventfulRun, status: Told): readonly OutgoingEvent[] {
  return [
    ...failedGates(run, status),
    ...turned(run, status),
    ...held(run, status),
    ...paused(run, status),
  ];
}

/** As the run words the reasons of its direction: it was asked for, or is being stopped; all others changed it. */
const UNTURNED = /^(?:asked|stopped) by /;

function turned(
  run: EventfulRun,
  { target, targetReason, requestedBy }: Told,
): readonly OutgoingEvent[] {
  if (UNTURNED.test(targetReason)) return [];
  const { actor, reason } = requestedBy;
  const what = { target, actor, reason, byAutomation: isAutomation(actor) };
  return [event(run, 'turned', null, [target, targetReason], what)];
}

/** Once for each gate of a run: verdicts have no time, and the holds that follow are events themselves. */
function failedGates(run: EventfulRun, { gates }: Told): readonly OutgoingEvent[] {
  return gates
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ gate, hardness, code }) =>
      event(run, 'gateFailed', null, [gate], { gate, hardness, code }),
    );
}

function held(run: EventfulRun, status: Told): readonly OutgoingEvent[] {
  const { inFlight, holdReason, whoActs, findings, sinceMs, pause } = status;
  // The time of a paused run is that of its pause: its hold was said before, or is when the pause ends.
  if (inFlight !== 'held' || holdReason === 'none' || pause === 'paused') return [];
  const codes = [...new Set(findings.map(({ code }) => code))];
  const what = { holdReason, whoActs, codes };
  return [event(run, 'held', sinceMs, [sinceMs, holdReason, codes], what)];
}

function paused(run: EventfulRun, { pause, pausedBy, sinceMs }: Told): readonly OutgoingEvent[] {
  if (pause !== 'paused' || pausedBy === null) return [];
  // Not the reason: the end of an alert is noted in it, and stays the same pause.
  const { actor, reason } = pausedBy;
  const what = { actor, reason, byAutomation: isAutomation(actor) };
  return [event(run, 'paused', sinceMs, [sinceMs, actor], what)];
}

function event(
  run: EventfulRun,
  kind: OutgoingEvent['kind'],
  atMs: number | null,
  key: readonly unknown[],
  what: OutgoingEvent['what'],
): OutgoingEvent {
  const { workflowId, runId } = run;
  return { id: digestJson({ workflowId, runId, kind, key }), kind, atMs, run, what };
}
