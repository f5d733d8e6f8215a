import type { RunRules } from './run-rules.js';
import type { RunState } from './run-state.js';

/**
 * Whether the run could go back from here, by asking the same rules that would have to do it:
 * what they would do first, or the finding that closes the way.
 */
export function reversibility({ look, policy }: RunState, rules: RunRules): string {
  if (look === null) return 'unknown: the cluster was not looked at';
  const { observation } = look;
  const back = rules.nextStep(observation, 'kcm', policy);
  if (back.kind === 'blocked') {
    const [{ code, seen }] = back.findings;
    return `not reversible now: ${code}, ${seen}`;
  }
  if (back.kind === 'done') return 'reversible: the cluster is at its source side';
  return observation.access.leaseGrant === 'present'
    ? `reversible; first: ${back.step.why}`
    : `reversible with notes: Leader Migration and its Lease access have to come first; ${back.step.why}`;
}
