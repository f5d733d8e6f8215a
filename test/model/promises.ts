import { predictEffect } from '../../domain/model/predict-effect.js';
import { elect, electionMoves } from '../../domain/model/elections.js';
import { factsOf, type ClusterFacts } from '../../domain/ownership/cluster-facts.js';
import { memoizeByIdentity } from '../../domain/memoize.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Decision, Step } from '../../domain/decision/step.js';
import { mayStart } from '../../domain/decision/steps/repairs.js';
import type { Owner, Target } from '../../domain/vocabulary.js';
import { cutOffsOf } from './cut-offs.js';
import { mostOwners, wouldRepair } from './judgements.js';
import { Outcomes } from './outcomes.js';
import { PossibleOwners } from './possible-owners.js';
import { stateKey } from './state-key.js';

/** A promise that the rules broke in one state, as text. */
export interface BrokenPromise {
  readonly kind: 'secondOwner' | 'possible' | 'unrepaired' | 'orphaned' | 'early' | 'untrue';
  readonly words: string;
}

/** What the rules promise about every state and about the step that they decide there. */
export class Promises {
  private readonly target: Target;
  private readonly policy: MigrationPolicy;
  private readonly outcomes: Outcomes;
  private readonly possible = new PossibleOwners();
  private readonly repairs = new Map<string, boolean>();
  /** Derived once from each observation, as the rules do; most promises use them. */
  private readonly factsOf: (observation: ClusterObservation) => ClusterFacts;

  constructor({ target, policy }: { readonly target: Target; readonly policy: MigrationPolicy }) {
    this.target = target;
    this.policy = policy;
    this.outcomes = new Outcomes(policy);
    this.factsOf = memoizeByIdentity((observation) => factsOf(observation, target, policy));
  }

  broken(observation: ClusterObservation, decision: Decision): readonly BrokenPromise[] {
    const step = decision.kind === 'step' ? decision.step : null;
    return [
      ...this.secondOwners(observation),
      ...this.unrepaired(observation, step),
      ...(step === null
        ? []
        : [
            ...this.opened(observation, step),
            ...this.lostOwner(observation, step),
            ...this.early(observation, step),
          ]),
      ...(step?.effect.kind === 'awaitElection' ? idle(observation) : []),
      ...(decision.kind === 'done' ? this.untrueEnd(observation) : []),
    ];
  }

  /** Whether R1 to R4 would act. */
  needsRepair(observation: ClusterObservation): boolean {
    const key = stateKey(observation);
    const known = this.repairs.get(key);
    if (known !== undefined) return known;
    const needed = wouldRepair(this.factsOf(observation));
    this.repairs.set(key, needed);
    return needed;
  }

  /** From a clean or repaired state no election gives a controller a second owner. */
  private secondOwners(observation: ClusterObservation): readonly BrokenPromise[] {
    if (this.needsRepair(observation)) return [];
    const now: readonly BrokenPromise[] =
      mostOwners(observation) > 1
        ? [{ kind: 'secondOwner', words: 'a clean state has two owners' }]
        : [];
    const next = electionMoves(observation)
      .filter((move) => mostOwners(elect(observation, move)) > 1)
      .map(({ placed }): BrokenPromise => ({
        kind: 'secondOwner',
        words: `election of ${placed.node.name} ${placed.manager}`,
      }));
    return [...now, ...next];
  }

  /** Neither a step nor any of its cut-off points makes two owners possible where elections could not reach them. */
  private opened(observation: ClusterObservation, step: Step): readonly BrokenPromise[] {
    if (this.possible.two(observation)) return [];
    const after = predictEffect(observation, step.effect, this.policy);
    return [
      { label: 'done', observation: after },
      ...cutOffsOf(observation, step.effect, this.policy),
    ]
      .filter((point) => this.possible.two(point.observation))
      .map(({ label }): BrokenPromise => ({ kind: 'possible', words: `${step.why}: ${label}` }));
  }

  /** Two owners become fewer with the very next step; when there are none, a manager that this project removed is restored first. */
  private unrepaired(observation: ClusterObservation, step: Step | null): readonly BrokenPromise[] {
    const owners = mostOwners(observation);
    if (owners <= 1) {
      if (!isCutOff(this.factsOf(observation))) return [];
      const words = 'a manifest that was cut off waits';
      return step?.name === 'finishManifest' ? [] : [{ kind: 'unrepaired', words }];
    }
    const after =
      step === null ? observation : predictEffect(observation, step.effect, this.policy);
    const words = 'the next step leaves two owners';
    return mostOwners(after) >= owners ? [{ kind: 'unrepaired', words }] : [];
  }

  /** With a shared lock every stopped process has a successor, whichever process wins the elections after it. */
  private lostOwner(observation: ClusterObservation, step: Step): readonly BrokenPromise[] {
    if (this.policy.strategy === 'gap' || step.phase === 'repair') return [];
    if (this.outcomes.owner(observation) === 'none') return [];
    const after = this.outcomes.of(predictEffect(observation, step.effect, this.policy));
    return after.has('none') ? [{ kind: 'orphaned', words: step.why }] : [];
  }

  /** What would have gone to one side goes nowhere else because the first manager of the other side starts. */
  private early(observation: ClusterObservation, step: Step): readonly BrokenPromise[] {
    const other: Owner = this.target;
    const starts = this.present(observation) === 0 && step.phase !== 'repair';
    const expected = starts ? this.outcomes.of(observation) : new Set<Owner>();
    if (expected.size !== 1 || expected.has(other) || expected.has('none')) return [];
    const after = predictEffect(observation, step.effect, this.policy);
    if (this.present(after) === 0 || !this.outcomes.of(after).has(other)) return [];
    return [{ kind: 'early', words: step.why }];
  }

  /** How many managers of the target side could own. */
  private present(observation: ClusterObservation): number {
    const { inTree, presentCcms } = this.factsOf(observation);
    return (this.target === 'ccm' ? presentCcms : inTree).length;
  }

  private untrueEnd(observation: ClusterObservation): readonly BrokenPromise[] {
    const owner = this.outcomes.owner(observation);
    const { inTree, presentCcms } = this.factsOf(observation);
    const left = (this.target === 'ccm' ? inTree : presentCcms).length;
    if (owner === this.target && left === 0) return [];
    return [{ kind: 'untrue', words: `done while ${owner} owns and ${String(left)} are left` }];
  }
}

function isCutOff(facts: ClusterFacts): boolean {
  return facts.observation.nodes.some((node) =>
    [node.kcm, node.ccm].some(
      ({ manifest }) => manifest.state === 'interrupted' && mayStart(facts, manifest.successor),
    ),
  );
}

/** No step waits when all that is missing is to empty the Lease of a dead process. */
function idle(observation: ClusterObservation): readonly BrokenPromise[] {
  const dead = observation.leases.filter(
    ({ holder, holderState }) => holderState === 'dead' && holder !== '',
  );
  const wanted = electionMoves(observation).find(({ lease }) =>
    dead.some(({ namespace, name }) => namespace === lease.namespace && name === lease.name),
  );
  if (wanted === undefined) return [];
  return [{ kind: 'unrepaired', words: `Lease ${wanted.lease.name} of a dead process is left` }];
}
