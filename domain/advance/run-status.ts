import type { Finding } from '../finding.js';
import type { Step, StepName } from '../step.js';
import type { GateVerdict } from '../gates.js';
import type { Hold, Owner, Phase, Target } from '../vocabulary.js';
import { nextActions } from './next-command.js';
import type { RunOutcome } from './outcome.js';
import { reversibilityWords, totalsOf } from './totals.js';
import { nodeOf } from './run-findings.js';
import { heals } from './holds.js';
import type { Activity, HoldActor, RunState, StepRecord, Trouble } from './run-state.js';

/** The status of a run, for people and programs. Durations in ms. */
export interface RunStatus {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly target: Target;
  readonly because: string;
  readonly hold: Hold;
  /** `pausing` until the safe point, `paused` once no mutation can begin any more. */
  readonly pause: 'none' | 'pausing' | 'paused';
  /** Null unless it is paused. */
  readonly pausedBy: { readonly actor: string; readonly reason: string } | null;
  /** Who requested the current direction. */
  readonly mandate: { readonly actor: string; readonly reason: string };
  readonly activity: Activity['kind'];
  /** While the run is held: the phase it was in. */
  readonly phase: Phase | 'starting' | 'soak' | 'ended';
  /** The step in flight. */
  readonly step: StepWords | null;
  /** The step of the last decision: what a held run would continue with. Null when there is none. */
  readonly nextStep: (StepWords & { readonly phase: Phase }) | null;
  readonly owner: Owner;
  readonly trouble: Trouble['kind'] | 'none';
  /** What ends the hold: the environment by itself, or a person. */
  readonly whoActs: HoldActor | 'none';
  readonly findings: readonly Finding[];
  /** Gates that did not pass when last measured. */
  readonly gates: readonly GateVerdict[];
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

interface StepWords {
  readonly name: StepName;
  readonly node: string;
  readonly why: string;
}

export function runStatus(state: RunState): RunStatus {
  const { activity, cluster, gates, target, because, hold, trouble, steps, epoch, mandate } = state;
  return {
    cluster,
    target,
    because,
    hold,
    pause: pauseOf(state),
    pausedBy: state.pausedBy,
    mandate,
    activity: activity.kind,
    phase: phaseOf(state),
    step: activity.kind === 'stepping' ? stepWords(activity.planned.step) : null,
    nextStep: nextStepOf(state),
    owner: ownerOf(state),
    trouble: trouble?.kind ?? 'none',
    whoActs: trouble === null ? 'none' : heals(trouble) ? 'environment' : 'person',
    findings: trouble?.findings ?? [],
    gates,
    stepsDone: steps,
    orphanMs: totalsOf(state).orphanMs,
    epoch,
    ...actionsOf(state),
    reversibility: reversibilityWords(state),
    outcome: activity.kind === 'ended' ? activity.outcome : null,
  };
}

function actionsOf(state: RunState): Pick<RunStatus, 'advice' | 'nextCommand' | 'otherCommands'> {
  if (state.activity.kind === 'ended') {
    const { nextCommand, otherCommands } = state.activity.outcome;
    return { advice: '', nextCommand, otherCommands };
  }
  const { advice, commands } = nextActions(state);
  const [nextCommand, ...otherCommands] = commands;
  return { advice, nextCommand, otherCommands };
}

/** Identifies what a run is currently doing: `since` is kept while it stays the same. */
export function doingKey(state: RunState): string {
  const { hold, trouble, activity, steps } = state;
  if (hold !== 'none') return hold;
  if (trouble !== null) return `${trouble.kind} ${trouble.findings.map(({ code }) => code).join()}`;
  if (activity.kind !== 'stepping') return phaseOf(state);
  const { name, node } = stepWords(activity.planned.step);
  return `${String(steps.length)} ${name} ${node}`;
}

/** The phase shown to people; during an observation, that of the last step. */
export function phaseOf(state: RunState): RunStatus['phase'] {
  const { activity, steps } = state;
  switch (activity.kind) {
    case 'stepping':
      return activity.planned.step.phase;
    case 'soaking':
      return 'soak';
    case 'held':
      return nextStepOf(state)?.phase ?? steps.at(-1)?.phase ?? 'starting';
    case 'ended':
      return 'ended';
    case 'idle':
    case 'checking':
    case 'takingFence':
    case 'looking':
      return steps.at(-1)?.phase ?? 'starting';
  }
}

function pauseOf({ hold, queue, activity }: RunState): RunStatus['pause'] {
  if (hold === 'pause') return 'paused';
  const waiting = queue.some(({ verb }) => verb === 'pause');
  return waiting && activity.kind !== 'ended' ? 'pausing' : 'none';
}

function nextStepOf({ look }: RunState): RunStatus['nextStep'] {
  if (look?.decision.next.kind !== 'step') return null;
  const { step } = look.decision.next.planned;
  return { ...stepWords(step), phase: step.phase };
}

function stepWords(step: Step): StepWords {
  return { name: step.name, node: nodeOf(step), why: step.why };
}

function ownerOf({ look }: RunState): Owner {
  return look?.decision.owner ?? 'unknown';
}
