import { effectivePolicy } from '../../domain/decision/waivers.js';
import { checkInvariants } from '../../domain/invariants/run-invariants.js';
import type { InvariantBreach, RunTrace, TracePoint } from '../../domain/invariants/trace.js';
import { unpackObservation } from '../../domain/observation/packed-observation.js';
import type { AuditCheck } from './audit-check.js';
import { fail, judged, pass } from './audit-check.js';
import { overtakenIn } from './overtaken-decisions.js';
import type { RecordedEvent } from './recorded-run.js';
import { pausesIn } from './taken-pauses.js';

/**
 * Runs the invariants over the recorded run. A run answers only for what it did: a state that it found at the start, or
 * that the environment caused during a hold, is not its breach. Time without an owner is not judged here: observations
 * are minutes apart, and the guard, which observes every second, reports it (I3).
 */
export function checkRecordedRun(events: readonly RecordedEvent[]): AuditCheck {
  try {
    return judgeRun(events);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(CHECK, `the record cannot be judged as a run: ${why}`);
  }
}

const CHECK = 'invariants';

function judgeRun(events: readonly RecordedEvent[]): AuditCheck {
  const trace = traceOf(events);
  if (trace === null) return pass(CHECK, 'nothing was observed');
  const { points } = trace;
  const found = checkInvariants(trace);
  const unowned = new Set(
    found.flatMap(({ invariant, point }) => (invariant === 'I1' ? [point] : [])),
  );
  const breaches = found.filter((breach) => answersFor(breach, trace, unowned));
  const steps = points.filter(({ step }) => step !== null).length;
  return judged(
    CHECK,
    breaches.map(
      ({ invariant, point, seen }) => `${invariant} at observation ${String(point + 1)}: ${seen}`,
    ),
    `hold over ${String(points.length)} observations and ${String(steps)} steps`,
  );
}

function answersFor(
  { invariant, point }: InvariantBreach,
  { points }: RunTrace,
  unowned: ReadonlySet<number>,
): boolean {
  switch (invariant) {
    case 'I3':
      return false;
    case 'I1':
      // Found at the start, or already present in the previous observation.
      return point > 0 && !unowned.has(point - 1);
    case 'I4': {
      const step = points[point]?.step ?? null;
      return step !== null && step.effect.kind !== 'verify';
    }
    case 'I2':
    case 'I5':
    case 'I6':
    case 'I7':
    case 'I8':
    case 'I9':
    case 'I10':
      return true;
  }
}

/**
 * One point for each observation, with the first step taken from it; null without any observation. History order is the
 * clock: a command that arrives while the workflow decides is recorded after that decision. An observation that arrives after
 * its decision was replaced stands before the newest one, of which the next step is taken.
 */
function traceOf(events: readonly RecordedEvent[]): RunTrace | null {
  const points: TracePoint[] = [];
  const overtaken = overtakenIn(events);
  let fenceEpoch = 0;
  const mutations: RunTrace['mutations'][number][] = [];
  let policy: RunTrace['policy'] | null = null;
  for (const [atMs, event] of events.entries()) {
    switch (event.kind) {
      case 'observed':
        policy ??= event.input.policy;
        points.splice(points.length - (overtaken.has(event) ? 1 : 0), 0, pointOf(event));
        break;
      case 'step': {
        const last = points.pop();
        if (last !== undefined) points.push(last.step === null ? withStep(last, event) : last);
        const { epoch, planned } = event;
        // Restoring an interrupted change takes precedence over any hold.
        if (!planned.recovers) mutations.push({ atMs, epoch, fenceEpoch });
        break;
      }
      case 'fence':
        fenceEpoch = event.epoch;
        break;
      case 'began':
      case 'command':
      case 'admission':
      case 'refusals':
      case 'evidence':
      case 'asked':
        break;
    }
  }
  if (policy === null) return null;
  // Not used: I3 is not evaluated here.
  const orphanBudgetSeconds = Infinity;
  return { policy, points, mutations, pauses: pausesIn(events, policy), orphanBudgetSeconds };
}

function pointOf({ input, observed }: RecordedEvent & { readonly kind: 'observed' }): TracePoint {
  const observation = unpackObservation(observed.observation);
  const { target } = input.decide;
  const policy = effectivePolicy(input.policy, input.decide, observation);
  return { observation, target, policy, step: null, verdicts: [] };
}

function withStep(
  point: TracePoint,
  { planned, ended }: RecordedEvent & { readonly kind: 'step' },
): TracePoint {
  return { ...point, step: planned.step, failed: ended !== 'well' };
}
