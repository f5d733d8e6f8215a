import type { Step, StepName } from '../decision/step.js';
import type { Finding } from '../findings/finding.js';
import type { GateVerdict } from '../gates/verdicts.js';
import type { Hold, Owner, Phase, Target } from '../vocabulary.js';
import { heals } from './holds.js';
import type { RunOutcome } from './outcome.js';
import { nodeOf } from './run-findings.js';
import type { Activity, HoldActor, RunState, StepRecord, Totals, Trouble } from './run-state.js';

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

/** What an operator can do about a run that waits or has ended. */
export interface NextActions {
  /** What else has to happen; empty where the commands are enough. */
  readonly advice: string;
  /** Each can be pasted unchanged; the first to run comes first. */
  readonly commands: readonly [string, ...string[]];
}

/** What to run next, for the operator of a run. */
export function nextActions(state: RunState): NextActions {
  const { hold, trouble } = state;
  if (hold === 'stop' || state.activity.kind === 'ended') return afterTheEnd(state);
  if (hold === 'pause') return only(verb(state, 'resume'), turn(state), verb(state, 'stop'));
  return trouble === null ? only(verb(state, 'status', '-w')) : outOf(trouble, state);
}

function outOf(trouble: Trouble, state: RunState): NextActions {
  switch (trouble.kind) {
    case 'approval':
      return only(verb(state, 'approve'), verb(state, 'reject'));
    case 'rejected':
      return only(verb(state, 'approve'), turn(state), verb(state, 'stop'));
    case 'blocked':
      return healing(trouble, turn(state));
    case 'unserved':
      return healing(trouble, verb(state, 'stop'));
    case 'gates':
    case 'failure':
    case 'repeats':
      return trouble.whoActs === 'environment'
        ? healing(trouble, turn(state))
        : {
            advice: `cure ${codes(trouble)}, then retry`,
            commands: [verb(state, 'retry'), turn(state)],
          };
    case 'fatal':
      return afterTheEnd(state);
  }
}

/** Reversing or stopping the run is optional; nothing has to be done. */
function healing(trouble: Trouble, otherwise: string): NextActions {
  return {
    advice: `the run continues by itself when ${codes(trouble)} has passed`,
    commands: [explain(trouble), otherwise],
  };
}

function afterTheEnd(state: RunState): NextActions {
  const { trouble, target, cluster } = state;
  if (trouble?.kind === 'fatal') return only(explain(trouble), checkCommand(state));
  return only(`ccm-migrate apply --cluster ${cluster.name} --target ${target}`, turn(state));
}

/** The command that checks the run's cluster. */
export function checkCommand({ cluster }: Pick<RunState, 'cluster'>): string {
  return `ccm-migrate check --cluster ${cluster.name}`;
}

/** The command that reverses the run's direction. */
export function turn(state: Pick<RunState, 'cluster' | 'target'>): string {
  return verb(state, state.target === 'ccm' ? 'rollback' : 'rollforward');
}

function only(...commands: readonly [string, ...string[]]): NextActions {
  return { advice: '', commands };
}

function verb(
  { cluster }: Pick<RunState, 'cluster'>,
  name: string,
  ...flags: readonly string[]
): string {
  return ['ccm-migrate', name, cluster.name, ...flags].join(' ');
}

function explain({ findings }: Trouble): string {
  return `ccm-migrate explain ${findings[0].code}`;
}

function codes({ findings }: Trouble): string {
  return [...new Set(findings.map(({ code }) => code))].join(', ');
}

/** Over all steps of a run, including those of earlier executions. Times in ms. */
export function totalsOf({ steps, earlier }: RunState): Totals {
  const sum = (figure: (step: RunState['steps'][number]) => number): number =>
    steps.reduce((so, step) => so + figure(step), 0);
  return {
    steps: earlier.steps + steps.length,
    orphanMs: earlier.orphanMs + sum(({ orphanMs }) => orphanMs),
    mutations: earlier.mutations + sum(({ mutations }) => mutations),
  };
}

/** Whether the run could be rolled back, according to the last decision. */
export function reversibilityWords({ look }: RunState): string {
  return look === null ? 'unknown: the cluster was not observed' : look.decision.reversibility;
}
