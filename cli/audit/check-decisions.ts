import { decideRun } from '../../domain/decision/decide-run.js';
import type { PlannedStep } from '../../domain/decision/run-decision.js';
import { digestJson } from '../../domain/digest.js';
import { unpackObservation } from '../../domain/observation/packed-observation.js';
import type { AuditCheck } from './audit-check.js';
import { fail, judged, pass, unproven } from './audit-check.js';
import { overtakenIn } from './overtaken-decisions.js';
import type { RecordedEvent } from './recorded-run.js';

type ObservedEvent = RecordedEvent & { readonly kind: 'observed' };

/**
 * Recomputes each decision from the observation and judgements recorded with it. The build that made a decision must
 * reproduce it. Another build may differ; the check then names the build to verify with.
 */
export function checkDecisions(events: readonly RecordedEvent[], ownCode: string): AuditCheck {
  const check = 'decisions';
  const observations = events.filter((event) => event.kind === 'observed');
  const others = observations.filter((observed) => !isRepeated(observed));
  const forged = others.find(({ observed }) => observed.decidedBy === ownCode);
  if (forged !== undefined) {
    return fail(
      check,
      `${forged.where}: the same rules decide differently from the recorded observation`,
    );
  }
  const [first] = others;
  const all = `${String(observations.length)} decisions`;
  if (first === undefined) return pass(check, `${all} follow from the recorded observations`);
  return unproven(
    check,
    `${String(others.length)} of ${all} differ from what this installation's rules decide, the first at ${first.where}; ` +
      `they were made by code ${first.observed.decidedBy}: verify with that build`,
  );
}

function isRepeated({ input, observed }: ObservedEvent): boolean {
  try {
    const again = decideRun(unpackObservation(observed.observation), input.policy, input.decide);
    return digestJson(JSON.parse(JSON.stringify(again))) === digestJson(observed.decision);
  } catch {
    // Nothing can be decided from this record: it is no observation, or a build with another schema wrote it.
    return false;
  }
}

/**
 * Each step sent to a worker must be the one that the latest decision named, under the judgements that decision rests
 * on. One that arrives after it was replaced is not the latest.
 */
export function checkSteps(events: readonly RecordedEvent[]): AuditCheck {
  const overtaken = overtakenIn(events);
  let newest: ObservedEvent | null = null;
  let steps = 0;
  const faults: string[] = [];
  for (const event of events) {
    if (event.kind === 'observed' && !overtaken.has(event)) newest = event;
    if (event.kind !== 'step') continue;
    steps += 1;
    if (newest === null || !isDecided(event.planned, event.revision, newest)) {
      faults.push(
        `${event.where}: ${event.planned.step.name} is not the step that was decided before it`,
      );
    }
  }
  return judged('steps', faults, `${String(steps)} steps, each as decided`);
}

function isDecided(planned: PlannedStep, revision: number, { observed }: ObservedEvent): boolean {
  try {
    const { next, proof, probe } = observed.decision;
    if (observed.decision.revision !== revision) return false;
    const wanted = digestJson(planned);
    const own = next.kind === 'step' ? [next.planned] : [];
    const named = [...own, proof, ...(probe === undefined ? [] : [probe])];
    return named.some((each) => digestJson(each) === wanted);
  } catch {
    // An export that was tampered with may have lost the links between its parts: what cannot be followed proves
    // nothing.
    return false;
  }
}
