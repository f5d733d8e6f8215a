import type { NextMove } from '../decision/run-decision.js';
import type { GateVerdict } from '../gates/verdicts.js';
import type { BreachRule } from '../policy.js';
import type { Phase } from '../vocabulary.js';
import { withTies } from './fleet-ties.js';
import { changeTarget, soakIsDue } from './holds.js';
import type { RunState } from './run-state.js';

/** What policy wants of a measured failure while this is the next move. */
export function breachRuleFor(state: RunState, next: NextMove): BreachRule {
  const { onBreach, onBreachByPhase = {} } = state.policy;
  const phase = phaseDue(state, next);
  return (phase === null ? undefined : onBreachByPhase[phase]) ?? onBreach;
}

/**
 * The phase of the step that is due, as `status` shows it; `verify` once nothing is left but to watch and to compare. Where the
 * rules see no step, that of the last one; null before the first.
 */
function phaseDue(state: RunState, next: NextMove): Phase | null {
  switch (next.kind) {
    case 'done':
      return 'verify';
    case 'step': {
      const { step, afterProof } = next.planned;
      return afterProof && !isProven(state) ? 'verify' : step.phase;
    }
    case 'blocked':
      return state.done.steps.at(-1)?.phase ?? null;
  }
}

function isProven(state: RunState): boolean {
  return state.proofs.verified && !soakIsDue(state);
}

/** Of a reason, which travels in each status; the verdicts are in the evidence. */
const LONGEST_CAUSE = 400;

/** The run goes back because of these failures. No person asked for it. */
export function turnedByPolicy(
  state: RunState,
  failed: readonly GateVerdict[],
  held = '',
): RunState {
  const causes = failed.map(({ gate, code, detail }) => `${gate} (${code}): ${detail}`).join('; ');
  const requestedBy = {
    actor: 'policy onBreach',
    reason: `${causes.slice(0, LONGEST_CAUSE)}${held}`,
  };
  const turned = changeTarget(state, 'kcm', requestedBy, 'rolled back');
  return withTies(turned, { turnedByPerson: false });
}
