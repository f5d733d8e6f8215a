import type { PlannedStep, RunDecision } from '../decision/run-decision.js';
import { PROBE_CODES } from '../gates/probe-verdict.js';
import type { ProbeMoment } from '../probes/balancer-probe.js';
import type { StepResult } from './results.js';
import type { ProbesDone, RunState, StepsDone } from './run-state.js';

/** The probe to run before the first change of this run; null where none is due. */
export function earlyProbe(
  { proofs, done }: Pick<RunState, 'proofs' | 'done'>,
  { probe }: Pick<RunDecision, 'probe'>,
): PlannedStep | null {
  if (probe === undefined || momentOf(probe) !== 'before') return null;
  return proofs.probes?.before === undefined && !hasChanged(done) ? probe : null;
}

/** The probe to run once the target owns the cloud controllers; null where none is due. */
export function lateProbe(
  { proofs }: Pick<RunState, 'proofs'>,
  { probe }: Pick<RunDecision, 'probe'>,
): PlannedStep | null {
  return probe === undefined || proofs.probes?.after === true ? null : probe;
}

/** A probe changes nothing that stays. */
function hasChanged({ steps, earlier }: StepsDone): boolean {
  return earlier.steps > 0 || steps.some(({ name }) => name !== 'probeBalancer');
}

function momentOf({ step }: PlannedStep): ProbeMoment | null {
  return step.effect.kind === 'probeBalancer' ? step.effect.moment : null;
}

/** After a probe ended, whatever its verdict: a failed one holds as a gate, and a person may skip it. */
export function probesAfter(
  done: ProbesDone,
  planned: PlannedStep,
  { probe }: Pick<StepResult, 'probe'>,
): ProbesDone {
  const moment = momentOf(planned);
  if (moment === null) return done;
  if (moment === 'after') return { ...done, after: true };
  return probe === undefined ? done : { ...done, before: probe };
}

/** When a hold ends by a word to try again, so does the probe that failed. */
export function probesStillDone({
  proofs: { probes = {} },
  problems: { gates },
}: Pick<RunState, 'proofs' | 'problems'>): ProbesDone {
  const failed = (moment: ProbeMoment): boolean =>
    gates.some(({ code }) => code === PROBE_CODES[moment]);
  return {
    ...(probes.before === undefined || failed('before') ? {} : { before: probes.before }),
    ...(probes.after === true && !failed('after') ? { after: true } : {}),
  };
}

/** As a member of what a run has proven: absent where nothing was probed. */
export function keptProbes(probes: ProbesDone): { readonly probes?: ProbesDone } {
  return Object.keys(probes).length === 0 ? {} : { probes };
}
