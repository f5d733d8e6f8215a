import type { Finding } from '../finding.js';
import type { Step, StepName } from '../step.js';
import type { GateVerdict } from '../gates.js';
import type { Hold, Owner, Phase, Target } from '../vocabulary.js';
import { nextCommand } from './next-command.js';
import type { RunOutcome } from './outcome.js';
import { reversibilityWords, totalsOf } from './totals.js';
import { nodeOf } from './run-findings.js';
import { heals } from './holds.js';
import type { Activity, HoldActor, RunState, StepRecord, Trouble } from './run-state.js';

/** What a run is doing, for people and programs. Durations in ms. */
export interface RunStatus {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly target: Target;
  readonly because: string;
  readonly hold: Hold;
  /** `pausing` until the safe point, `paused` once no mutation can begin any more. */
  readonly pause: 'none' | 'pausing' | 'paused';
  readonly activity: Activity['kind'];
  readonly phase: Phase | 'starting' | 'soak' | 'held' | 'ended';
  /** The step in flight. */
  readonly step: { readonly name: StepName; readonly node: string; readonly why: string } | null;
  readonly owner: Owner;
  readonly trouble: Trouble['kind'] | 'none';
  /** Who ends the hold: the environment by itself, or a person. */
  readonly whoActs: HoldActor | 'none';
  readonly findings: readonly Finding[];
  /** Gates that did not pass when last measured. */
  readonly gates: readonly GateVerdict[];
  readonly stepsDone: readonly StepRecord[];
  readonly orphanMs: number;
  readonly epoch: number;
  readonly nextCommand: string;
  readonly reversibility: string;
  readonly outcome: RunOutcome | null;
}

export function runStatus(state: RunState): RunStatus {
  const { activity, cluster, gates, target, because, hold, trouble, steps, epoch } = state;
  return {
    cluster,
    target,
    because,
    hold,
    pause: pauseOf(state),
    activity: activity.kind,
    phase: phaseOf(state),
    step: activity.kind === 'stepping' ? stepWords(activity.planned.step) : null,
    owner: ownerOf(state),
    trouble: trouble?.kind ?? 'none',
    whoActs: trouble === null ? 'none' : heals(trouble) ? 'environment' : 'person',
    findings: trouble?.findings ?? [],
    gates,
    stepsDone: steps,
    orphanMs: totalsOf(state).orphanMs,
    epoch,
    nextCommand: activity.kind === 'ended' ? activity.outcome.nextCommand : nextCommand(state),
    reversibility: reversibilityWords(state),
    outcome: activity.kind === 'ended' ? activity.outcome : null,
  };
}

/** The phase people see; while something is looked at, that of the last step. */
export function phaseOf({ activity, steps }: RunState): RunStatus['phase'] {
  switch (activity.kind) {
    case 'stepping':
      return activity.planned.step.phase;
    case 'soaking':
      return 'soak';
    case 'held':
      return 'held';
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

function stepWords(step: Step): RunStatus['step'] {
  return { name: step.name, node: nodeOf(step), why: step.why };
}

function ownerOf({ look }: RunState): Owner {
  return look?.decision.owner ?? 'unknown';
}
