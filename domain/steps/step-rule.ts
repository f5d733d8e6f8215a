import type { ClusterFacts, ManagerFact } from '../facts/cluster-facts.js';
import type { Finding } from '../finding.js';
import type { ManagerWant, ReleaseOrder, Step, StepEffect, StepName } from '../step.js';
import type { Phase } from '../vocabulary.js';

/**
 * The result of one step rule for a cluster: not needed, the next step, or needed but blocked. A strategy is an ordered list
 * of rules; the first that does not return `notNeeded` decides.
 */
export type Proposal =
  | { readonly kind: 'notNeeded' }
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'blocked'; readonly findings: readonly [Finding, ...Finding[]] };

export interface StepRule {
  readonly name: StepName;
  readonly phase: Phase;
  /** When a pause or stop takes effect while it runs. */
  readonly safePoint: 'end' | 'betweenPods' | 'anyTime';
  /** What does not run while the step does, for people and budgets. */
  readonly suspends: string;
  readonly propose: (facts: ClusterFacts) => Proposal;
}

export const NOT_NEEDED: Proposal = { kind: 'notNeeded' };

export function blocked(...findings: readonly [Finding, ...Finding[]]): Proposal {
  return { kind: 'blocked', findings };
}

/** Builds the proposal of a rule; `cures` are the finding codes that may fail while it runs. */
export function propose(
  rule: { readonly name: StepName; readonly phase: Phase },
  why: string,
  effect: StepEffect,
  cures: readonly string[] = [],
): Proposal {
  return { kind: 'step', step: { name: rule.name, phase: rule.phase, why, effect, cures } };
}

export function changeManager(
  node: string,
  want: ManagerWant,
  release: ReleaseOrder = 'none',
): StepEffect {
  return { kind: 'changeManager', node, want, release };
}

/** Candidates by name, those that hold a Lease last: each Lease then moves once. */
export function holderLast(candidates: readonly ManagerFact[]): readonly ManagerFact[] {
  return [...candidates].sort((a, b) => weight(a) - weight(b) || (a.node < b.node ? -1 : 1));
}

/** The order of a repair: the running one first, so that the second owner ends at once. */
export function holderFirst(candidates: readonly ManagerFact[]): readonly ManagerFact[] {
  return [...holderLast(candidates)].reverse();
}

function weight(fact: ManagerFact): number {
  return (fact.leads ? 2 : 0) + (fact.holdsMigration ? 1 : 0);
}
