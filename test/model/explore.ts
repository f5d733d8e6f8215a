import { nextStep } from '../../domain/decision/next-step.js';
import type { Decision, Step } from '../../domain/decision/step.js';
import { elect, electionMoves } from '../../domain/model/elections.js';
import { predictEffect } from '../../domain/model/predict-effect.js';
import { endProcesses, startedProcess, withSlot } from '../../domain/model/processes.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import { holds, managerProcesses } from '../../domain/ownership/owners.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import { withWord } from '../support/cluster-builder.js';
import type { Target } from '../../domain/vocabulary.js';
import { MIGRATION } from '../support/manager-configs.js';
import { cutOffsOf } from './cut-offs.js';
import { kubeletMoves } from './kubelet-moves.js';
import { type BrokenPromise, Promises } from './promises.js';
import { stateKey } from './state-key.js';

/** What the walk found wrong, each with the trail of moves that led there. */
export interface Violation {
  readonly kind: 'stuck' | 'cycle' | BrokenPromise['kind'];
  readonly trail: readonly string[];
}

export interface ExploreOptions {
  readonly target: Target;
  readonly policy: MigrationPolicy;
  /** The maximum number of crashes of a holder, losses of a node, and steps cut off half-way, together. */
  readonly faults: number;
  /** Whether endless waiting is a good end: for clusters with a fault that no step can repair. */
  readonly mayWait?: boolean;
}

interface Branch {
  readonly label: string;
  readonly observation: ClusterObservation;
  readonly faults: number;
}

/**
 * Walks everything that can happen from the start states: the next step, any election, any fault, in any order. Shares visited states
 * between start states. Depth first, so that a cycle is a state met again on its own trail.
 */
export class Explorer {
  readonly violations: Violation[] = [];
  readonly ended = new Set<string>();
  visited = 0;
  /** Different steps that were checked, each with its cut-off points. */
  steps = 0;
  private readonly settledKeys = new Set<string>();
  private readonly decisions = new Map<string, Decision>();
  private readonly promises: Promises;
  private readonly onTrail = new Set<string>();
  private readonly trail: string[] = [];

  private readonly options: ExploreOptions;

  constructor(options: ExploreOptions) {
    this.options = options;
    this.promises = new Promises(options);
  }

  walk(start: ClusterObservation): void {
    this.visit({ label: 'start', observation: start, faults: this.options.faults });
  }

  private visit({ label, observation, faults }: Branch): void {
    if (this.violations.length > 5) return;
    const key = `${String(faults)} ${stateKey(observation)}`;
    if (this.settledKeys.has(key)) return;
    if (this.onTrail.has(key)) {
      this.report('cycle', label);
      return;
    }
    this.onTrail.add(key);
    this.trail.push(`${label} → ${stateKey(observation)}`);
    this.visited += 1;
    const decision = this.decide(observation);
    for (const branch of this.branches(observation, faults, decision)) this.visit(branch);
    this.trail.pop();
    this.onTrail.delete(key);
    this.settledKeys.add(key);
  }

  /** Decisions and checks of a state do not depend on how many faults are left. */
  private decide(observation: ClusterObservation): Decision {
    const key = stateKey(observation);
    const known = this.decisions.get(key);
    if (known !== undefined) return known;
    const decision = nextStep(observation, this.options.target, withWord(this.options.policy));
    // A release names its holder, which the key leaves out.
    const names = decision.kind === 'step' && decision.step.effect.kind === 'releaseLease';
    if (!names) this.decisions.set(key, decision);
    if (decision.kind === 'step') this.steps += 1;
    for (const { kind, words } of this.promises.broken(observation, decision)) {
      this.report(kind, words);
    }
    return decision;
  }

  private branches(
    observation: ClusterObservation,
    faults: number,
    decision: Decision,
  ): readonly Branch[] {
    const byItself = [
      ...electionMoves(observation).map((move) => ({
        label: `election ${move.placed.node.name} ${move.placed.manager} ${move.lock}`,
        observation: elect(observation, move),
        faults,
      })),
      ...kubeletMoves(observation).map((move) => ({ ...move, faults })),
    ];
    if (decision.kind === 'step') {
      const waits = decision.step.effect.kind === 'awaitElection';
      if (waits && byItself.length === 0) this.report('stuck', decision.step.why);
      const step = waits ? [] : [this.stepBranch(observation, faults, decision.step)];
      return [...step, ...byItself, ...this.faultBranches(observation, faults, decision.step)];
    }
    if (decision.kind === 'done') this.ended.add(stateKey(observation));
    if (decision.kind === 'blocked') {
      this.report('stuck', decision.findings.map(({ code, seen }) => `${code} ${seen}`).join('; '));
    }
    return [...byItself, ...this.faultBranches(observation, faults, null)];
  }

  private stepBranch(observation: ClusterObservation, faults: number, step: Step): Branch {
    const after = predictEffect(observation, step.effect, this.options.policy);
    if (!this.promises.needsRepair(observation) && this.promises.needsRepair(after)) {
      this.report('unrepaired', step.why);
    }
    return { label: `step ${step.name} (${step.why})`, observation: after, faults };
  }

  private faultBranches(
    observation: ClusterObservation,
    faults: number,
    step: Step | null,
  ): readonly Branch[] {
    if (faults === 0) return [];
    const left = faults - 1;
    const crashes = managerProcesses(observation)
      .filter(
        ({ process }) =>
          holds(observation, process, process.config.mainLock) ||
          holds(observation, process, MIGRATION),
      )
      .map(({ node, manager, process }) => {
        const ended = endProcesses(observation, node.name, manager);
        const { manifest } = node[manager];
        const config = manifest.state === 'present' ? manifest.config : process.config;
        return {
          label: `crash ${node.name} ${manager}`,
          observation: withSlot(ended, node.name, manager, (slot) => ({
            ...slot,
            processes: [startedProcess(observation, config)],
          })),
          faults: left,
        };
      });
    const losses =
      observation.nodes.length < 3
        ? []
        : observation.nodes.map(({ name }) => ({
            label: `loss ${name}`,
            observation: predictEffect(
              observation,
              { kind: 'removeMachine', node: name, release: 'none' },
              this.options.policy,
            ),
            faults: left,
          }));
    return [...crashes, ...losses, ...this.cutOff(observation, step, left)];
  }

  private cutOff(
    observation: ClusterObservation,
    step: Step | null,
    faults: number,
  ): readonly Branch[] {
    if (step === null) return [];
    return cutOffsOf(observation, step.effect, this.options.policy).map((point) => ({
      label: `cut off ${step.name}: ${point.label}`,
      observation: point.observation,
      faults,
    }));
  }

  private report(kind: Violation['kind'], label: string): void {
    if (kind === 'stuck' && this.options.mayWait === true) return;
    this.violations.push({ kind, trail: [...this.trail, label] });
  }
}
