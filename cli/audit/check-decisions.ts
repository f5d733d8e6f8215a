import { decideRun } from '../../domain/decision/decide-run.js';
import type { PlannedStep } from '../../domain/decision/run-decision.js';
import { digestJson } from '../../domain/digest.js';
import { unpackObservation } from '../../domain/observation/packed-observation.js';
import type { AuditCheck } from './audit-check.js';
import { fail, judged, pass, skipped } from './audit-check.js';
import type { RecordedEvent } from './recorded-run.js';

type ObservedEvent = RecordedEvent & { readonly kind: 'observed' };

/**
 * Computes each decision again from the observation and the judgements that it was recorded with. The code that made a
 * decision must come to the same one; other code may not, and then says which code to ask.
 */
export function checkDecisions(events: readonly RecordedEvent[], ownCode: string): AuditCheck {
  const check = 'decisions';
  const observations = events.filter((event) => event.kind === 'observed');
  const others = observations.filter((observed) => !isRepeated(observed));
  const forged = others.find(({ observed }) => observed.decidedBy === ownCode);
  if (forged !== undefined) {
    return fail(
      check,
      `${forged.where}: these rules decide otherwise from what was observed there`,
    );
  }
  const [first] = others;
  const all = `${String(observations.length)} decisions`;
  if (first === undefined) return pass(check, `${all} follow from what was observed`);
  return skipped(
    check,
    `${String(others.length)} of ${all} are not what the rules of this installation say, the first at ${first.where}; ` +
      `they were made by code ${first.observed.decidedBy}: verify with that build`,
  );
}

function isRepeated({ input, observed }: ObservedEvent): boolean {
  try {
    const again = decideRun(unpackObservation(observed.observation), input.policy, input.decide);
    return digestJson(JSON.parse(JSON.stringify(again))) === digestJson(observed.decision);
  } catch {
    // What was recorded cannot have been decided from: a build of another shape, or no observation at all.
    return false;
  }
}

/** Each step that was sent to a worker is the one that the newest decision named, under the judgements it rests on. */
export function checkSteps(events: readonly RecordedEvent[]): AuditCheck {
  let newest: ObservedEvent | null = null;
  let steps = 0;
  const faults: string[] = [];
  for (const event of events) {
    if (event.kind === 'observed') newest = event;
    if (event.kind !== 'step') continue;
    steps += 1;
    if (newest === null || !isDecided(event.planned, event.revision, newest)) {
      faults.push(`${event.where}: ${event.planned.step.name} is not what was decided before it`);
    }
  }
  return judged('steps', faults, `${String(steps)} steps, each as it was decided`);
}

function isDecided(planned: PlannedStep, revision: number, { observed }: ObservedEvent): boolean {
  try {
    const { next, proof } = observed.decision;
    if (observed.decision.revision !== revision) return false;
    const wanted = digestJson(planned);
    const named = next.kind === 'step' ? [next.planned, proof] : [proof];
    return named.some((each) => digestJson(each) === wanted);
  } catch {
    // Whoever changed an export may have changed what holds it together: what cannot be followed is no proof.
    return false;
  }
}
