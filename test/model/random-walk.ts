import { predictEffect } from '../../domain/model/predict-effect.js';
import { elect, electionMoves } from '../../domain/model/elections.js';
import { endProcesses, startedProcess, withSlot } from '../../domain/model/processes.js';
import { nextStep } from '../../domain/decision/next-step.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Decision, Step } from '../../domain/decision/step.js';
import type { Target } from '../../domain/vocabulary.js';
import { mostOwners, needsRepair } from './judgements.js';
import { Outcomes } from './outcomes.js';

/** How a walk ended. `done` is the only good end; a block must name its findings. */
export type WalkEnd =
  | { readonly kind: 'done'; readonly observation: ClusterObservation }
  | {
      readonly kind: 'stuck' | 'endless' | 'secondOwner' | 'orphaned';
      readonly trail: readonly string[];
    };

export interface WalkOptions {
  readonly target: Target;
  readonly policy: MigrationPolicy;
  /** Numbers that choose among possible moves; 0 is our own step where there is one. */
  readonly choices: readonly number[];
  readonly faults: number;
}

const LONGEST_WALK = 400;

interface Move {
  readonly label: string;
  readonly observation: ClusterObservation;
  readonly fault: boolean;
  /** Our own step; null for what happens by itself. */
  readonly step: Step | null;
}

/** One story: our steps, elections and crashes in a chosen order, until our target is reached. */
export function walk(start: ClusterObservation, options: WalkOptions): WalkEnd {
  const trail: string[] = [];
  let current = start;
  let faults = options.faults;
  for (let turn = 0; turn < LONGEST_WALK; turn += 1) {
    const decision = nextStep(current, options.target, options.policy);
    if (decision.kind === 'done') return { kind: 'done', observation: current };
    const moves = movesFrom(current, options, faults > 0);
    const move = moves[(options.choices[turn] ?? 0) % moves.length];
    if (move === undefined) return { kind: 'stuck', trail: [...trail, reason(decision)] };
    trail.push(move.label);
    if (doubles(current, move.observation, options)) return { kind: 'secondOwner', trail };
    if (move.step !== null && orphans(current, move.observation, move.step, options)) {
      return { kind: 'orphaned', trail };
    }
    if (move.fault) faults -= 1;
    current = move.observation;
  }
  return { kind: 'endless', trail };
}

function reason(decision: Exclude<Decision, { kind: 'done' }>): string {
  return decision.kind === 'blocked' ? decision.findings[0].seen : decision.step.why;
}

/** From a clean state no next move may give a controller a second owner, or make one possible. */
function doubles(
  before: ClusterObservation,
  after: ClusterObservation,
  options: WalkOptions,
): boolean {
  const clean = !needsRepair(before, options) && mostOwners(before) <= 1;
  return clean && (mostOwners(after) > 1 || needsRepair(after, options));
}

/** With a shared lock no step but a repair may lead, after elections, to fewer owners. */
function orphans(
  before: ClusterObservation,
  after: ClusterObservation,
  { phase }: Step,
  { policy }: WalkOptions,
): boolean {
  if (policy.strategy === 'gap' || phase === 'repair') return false;
  const outcomes = new Outcomes(policy);
  return outcomes.owner(before) !== 'none' && outcomes.of(after).has('none');
}

function movesFrom(
  observation: ClusterObservation,
  { target, policy }: WalkOptions,
  mayFail: boolean,
): readonly Move[] {
  const decision = nextStep(observation, target, policy);
  const ours: readonly Move[] =
    decision.kind === 'step' && decision.step.effect.kind !== 'awaitElection'
      ? [
          {
            label: decision.step.why,
            observation: predictEffect(observation, decision.step.effect, policy),
            fault: false,
            step: decision.step,
          },
        ]
      : [];
  const elections = electionMoves(observation).map((move) => ({
    label: `election of ${move.placed.node.name} ${move.placed.manager} ${move.lock}`,
    observation: elect(observation, move),
    fault: false,
    step: null,
  }));
  return [...ours, ...elections, ...(mayFail ? restarts(observation) : [])];
}

/** Any manager process may crash; its kubelet restarts it with what is on disk. */
function restarts(observation: ClusterObservation): readonly Move[] {
  return observation.nodes.flatMap((node) =>
    (['kcm', 'ccm'] as const).flatMap((manager): readonly Move[] => {
      const { manifest, processes } = node[manager];
      if (processes.length === 0) return [];
      const ended = endProcesses(observation, node.name, manager);
      const started =
        manifest.state === 'present'
          ? withSlot(ended, node.name, manager, (slot) => ({
              ...slot,
              processes: [startedProcess(observation, manifest.config)],
            }))
          : ended;
      return [
        {
          label: `crash of ${node.name} ${manager}`,
          observation: started,
          fault: true,
          step: null,
        },
      ];
    }),
  );
}
