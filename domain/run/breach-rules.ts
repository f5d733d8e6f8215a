import type { NextMove } from '../decision/run-decision.js';
import { PROBE_CODES } from '../gates/probe-verdict.js';
import { DIFFERENCE_CODE } from '../gates/soft-codes.js';
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

/** Whether policy may answer with a rollback to something that was measured. */
export function mayTurn({ policy, problems }: Pick<RunState, 'policy' | 'problems'>): boolean {
  const { onBreach, onBreachByPhase = {} } = policy;
  const rules = [onBreach, ...Object.values(onBreachByPhase)];
  return harmIn([...problems.breaches, ...problems.gates]).length > 0 && rules.some(turns);
}

function turns(rule: BreachRule | undefined): boolean {
  return rule !== undefined && rule !== 'hold';
}

/** What did not work before the first change, and what users may have changed, is no proof of harm by us. */
const NEVER_TURNS: readonly string[] = [PROBE_CODES.before, DIFFERENCE_CODE];

/** Only a measured failure triggers a rollback; what could not be measured holds the run. */
export function harmIn(verdicts: readonly GateVerdict[]): readonly GateVerdict[] {
  return verdicts.filter(({ verdict, code }) => verdict === 'fail' && !NEVER_TURNS.includes(code));
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
