import type { Step, StepName } from '../decision/step.js';
import type { Finding } from '../findings/finding.js';
import { toldNotes, type QuietNote } from '../gates/quiet-notes.js';
import type { GateVerdict } from '../gates/verdicts.js';
import { STEP_PHASES, type Hold, type Owner, type Phase, type Target } from '../vocabulary.js';
import { fleetName, isOrderFor } from './fleet-ties.js';
import {
  type AlertPause,
  alertPause,
  givesWay,
  holdingBrakes,
  isPaused,
  ownPause,
} from './alert-pauses.js';
import { heals } from './holds.js';
import type { RunOutcome } from './outcome.js';
import { turnsAtMs } from './turn-time.js';
import { nextActions } from './next-actions.js';
import { nodeOf } from './run-findings.js';
import { shownHold } from './shown-hold.js';
import type {
  HoldActor,
  HoldReason,
  InFlight,
  RunState,
  StepRecord,
  StepsDone,
  Totals,
} from './run-state.js';

/** Every phase that is shown, as the search attribute `Phase` has it. */
export const SHOWN_PHASES = ['starting', ...STEP_PHASES, 'soak', 'ended'] as const;

/** The status of a run, for people and programs. Durations in ms. */
export interface RunStatus {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly target: Target;
  readonly targetReason: string;
  readonly hold: Hold;
  /** `pausing` until the safe point, `paused` once no mutation can begin any more. */
  readonly pause: 'none' | 'pausing' | 'paused';
  /** Null unless it is paused. */
  readonly pausedBy: { readonly actor: string; readonly reason: string } | null;
  /** An alert's pause, which holds no rollback; null without one. Absent where an older build says it. */
  readonly alertPause?: AlertPause | null;
  /** The fleet that has taken its slot back; null unless it is parked. */
  readonly parkedBy: string | null;
  /** Who requested the current direction. */
  readonly requestedBy: { readonly actor: string; readonly reason: string };
  readonly inFlight: InFlight['kind'];
  /** While the run is held: the phase it was in. */
  readonly phase: (typeof SHOWN_PHASES)[number];
  /** The step in flight. */
  readonly step: StepText | null;
  /** The step of the last decision: what a held run would continue with. Null when there is none. */
  readonly nextStep: (StepText & { readonly phase: Phase }) | null;
  readonly owner: Owner;
  readonly holdReason: HoldReason['kind'] | 'none';
  /** What ends the hold: the environment by itself, or a person. */
  readonly whoActs: HoldActor | 'none';
  readonly findings: readonly Finding[];
  /** Gates that did not pass when last measured. */
  readonly gates: readonly GateVerdict[];
  /** What the gates of the latest soak could not see, which holds nothing; absent where there is nothing to say. */
  readonly notes?: readonly QuietNote[];
  /** Policy rolls the run back then, in epoch ms, unless a person decides or the cause passes before; absent where it does not. */
  readonly rollsBackAtMs?: number;
  readonly stepsDone: readonly StepRecord[];
  readonly orphanMs: number;
  readonly epoch: number;
  /** What has to happen besides the next commands. */
  readonly advice: string;
  /** They can be pasted unchanged. */
  readonly nextCommand: string;
  readonly otherCommands: readonly string[];
  readonly reversibility: string;
  readonly outcome: RunOutcome | null;
}

interface StepText {
  readonly name: StepName;
  readonly node: string;
  readonly why: string;
}

export function runStatus(state: RunState): RunStatus {
  const { cluster, direction, problems, inFlight } = state;
  const { holdReason } = problems;
  const rollsBackAtMs = turnsAtMs(state);
  return {
    cluster,
    target: direction.target,
    targetReason: direction.reason,
    hold: holdOf(state),
    pause: pauseOf(state),
    pausedBy: pausedBy(state),
    alertPause: alertPauseOf(state),
    parkedBy: parkedBy(state),
    requestedBy: direction.requestedBy,
    inFlight: inFlight.kind,
    phase: phaseOf(state),
    step: inFlight.kind === 'stepping' ? stepText(inFlight.planned.step) : null,
    nextStep: nextStepOf(state),
    owner: ownerOf(state),
    holdReason: holdReason?.kind ?? 'none',
    whoActs: holdReason === null ? 'none' : heals(holdReason) ? 'environment' : 'person',
    findings: shownHold(state)?.findings ?? [],
    gates: problems.gates,
    ...toldNotes(state.proofs.notes),
    ...(rollsBackAtMs === null ? {} : { rollsBackAtMs }),
    stepsDone: state.done.steps,
    orphanMs: totalsOf(state.done).orphanMs,
    epoch: state.fence.epoch,
    ...actionsOf(state),
    reversibility: reversibilityText(state),
    outcome: inFlight.kind === 'ended' ? inFlight.outcome : null,
  };
}

function actionsOf(state: RunState): Pick<RunStatus, 'advice' | 'nextCommand' | 'otherCommands'> {
  if (state.inFlight.kind === 'ended') {
    const { nextCommand, otherCommands } = state.inFlight.outcome;
    return { advice: '', nextCommand, otherCommands };
  }
  const { advice, commands } = nextActions(state);
  const [nextCommand, ...otherCommands] = commands;
  return { advice, nextCommand, otherCommands };
}

/** Identifies what a run is currently doing: `since` is kept while it stays the same. */
export function doingKey(state: RunState): string {
  const { operatorHold, inFlight, membership } = state;
  const { holdReason } = state.problems;
  if (operatorHold.kind === 'stop' || ownPause(state) !== null) return operatorHold.kind;
  if (isPaused(state)) return 'brake';
  if (membership.slot === 'givenBack') return `parked ${String(membership.of?.grant)}`;
  if (holdReason !== null)
    return `${holdReason.kind} ${holdReason.findings.map(({ code }) => code).join()}`;
  if (inFlight.kind !== 'stepping') return phaseOf(state);
  const { name, node } = stepText(inFlight.planned.step);
  return `${String(state.done.steps.length)} ${name} ${node}`;
}

/** The phase shown to people; during an observation, that of the last step. */
export function phaseOf(state: RunState): RunStatus['phase'] {
  const { inFlight } = state;
  const { steps } = state.done;
  switch (inFlight.kind) {
    case 'stepping':
      return inFlight.planned.step.phase;
    case 'soaking':
      return 'soak';
    case 'held':
      return nextStepOf(state)?.phase ?? steps.at(-1)?.phase ?? 'starting';
    case 'ended':
      return 'ended';
    case 'idle':
    case 'checking':
    case 'takingFence':
    case 'observing':
      return steps.at(-1)?.phase ?? 'starting';
  }
}

function holdOf(state: RunState): Hold {
  if (state.operatorHold.kind === 'stop') return 'stop';
  return isPaused(state) ? 'pause' : 'none';
}

function pauseOf(state: RunState): RunStatus['pause'] {
  if (state.inFlight.kind === 'ended') return 'none';
  if (isPaused(state)) return 'paused';
  const { commands, membership, direction } = state;
  const waiting =
    commands.queue.some((each) => each.verb === 'pause' && !givesWay(each, direction)) ||
    membership.orders.some(
      (message) =>
        message.order.kind === 'brake' &&
        isOrderFor(membership, message) &&
        !givesWay(message, direction),
    );
  return waiting ? 'pausing' : 'none';
}

/** The person to ask: who paused the run itself, or its fleet. */
function pausedBy(state: RunState): RunStatus['pausedBy'] {
  const own = ownPause(state);
  if (own !== null) return own.by;
  const [brake] = holdingBrakes(state);
  return state.operatorHold.kind === 'stop' || brake === undefined ? null : brake.by;
}

function alertPauseOf(state: RunState): AlertPause | null {
  return state.inFlight.kind === 'ended' ? null : alertPause(state);
}

function parkedBy({ membership, inFlight }: RunState): string | null {
  const isParked = membership.slot === 'givenBack' && inFlight.kind !== 'ended';
  return isParked ? fleetName(membership) : null;
}

function nextStepOf({ observed }: RunState): RunStatus['nextStep'] {
  if (observed?.decision.next.kind !== 'step') return null;
  const { step } = observed.decision.next.planned;
  return { ...stepText(step), phase: step.phase };
}

function stepText(step: Step): StepText {
  return { name: step.name, node: nodeOf(step), why: step.why };
}

function ownerOf({ observed }: RunState): Owner {
  return observed?.decision.owner ?? 'unknown';
}

/** Over all steps of a run, including those of earlier executions. Times in ms. */
export function totalsOf({ steps, earlier }: StepsDone): Totals {
  const sum = (figure: (step: StepRecord) => number): number =>
    steps.reduce((so, step) => so + figure(step), 0);
  return {
    steps: earlier.steps + steps.length,
    orphanMs: earlier.orphanMs + sum(({ orphanMs }) => orphanMs),
    mutations: earlier.mutations + sum(({ mutations }) => mutations),
  };
}

/** Whether the run could be rolled back, according to the last decision. */
export function reversibilityText({ observed }: RunState): string {
  return observed === null
    ? 'unknown: the cluster was not observed'
    : observed.decision.reversibility;
}
