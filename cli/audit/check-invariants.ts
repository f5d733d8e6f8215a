import { effectivePolicy } from '../../domain/decision/waivers.js';
import { checkInvariants } from '../../domain/invariants/run-invariants.js';
import type {
  InvariantBreach,
  PauseWindow,
  RunTrace,
  TracePoint,
} from '../../domain/invariants/trace.js';
import { unpackObservation } from '../../domain/observation/packed-observation.js';
import type { AuditCheck } from './audit-check.js';
import { fail, judged, pass } from './audit-check.js';
import type { RecordedEvent } from './recorded-run.js';

/**
 * Runs the invariants over what was recorded. A run answers for what it did: a state that it found, or that the
 * environment brought while it held, is none of its breaches. How long nobody owned is not judged here: looks are
 * minutes apart, and the guard, which looks every second, reports it (I3).
 */
export function checkRecordedRun(events: readonly RecordedEvent[]): AuditCheck {
  try {
    return judgeRun(events);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(CHECK, `what was recorded is no run that could be judged: ${why}`);
  }
}

const CHECK = 'invariants';

function judgeRun(events: readonly RecordedEvent[]): AuditCheck {
  const trace = traceOf(events);
  if (trace === null) return pass(CHECK, 'nothing was observed');
  const { points } = trace;
  const breaches = checkInvariants(trace).filter((breach, _at, all) =>
    answersFor(breach, trace, all),
  );
  const steps = points.filter(({ step }) => step !== null).length;
  return judged(
    CHECK,
    breaches.map(
      ({ invariant, point, seen }) => `${invariant} at look ${String(point + 1)}: ${seen}`,
    ),
    `hold over ${String(points.length)} looks and ${String(steps)} steps`,
  );
}

function answersFor(
  { invariant, point }: InvariantBreach,
  { points }: RunTrace,
  all: readonly InvariantBreach[],
): boolean {
  switch (invariant) {
    case 'I3':
      return false;
    case 'I1':
      // Found at the start, or what was there at the look before already.
      return point > 0 && !all.some((each) => each.invariant === 'I1' && each.point === point - 1);
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
 * One point for each look, with the first step that was taken from it; null without any look. The order of the history
 * is the clock: a command that came while the workflow was deciding stands there behind what was decided.
 */
function traceOf(events: readonly RecordedEvent[]): RunTrace | null {
  const points: TracePoint[] = [];
  let fenceEpoch = 0;
  const mutations: RunTrace['mutations'][number][] = [];
  let policy: RunTrace['policy'] | null = null;
  for (const [atMs, event] of events.entries()) {
    switch (event.kind) {
      case 'observed':
        policy ??= event.input.policy;
        points.push(pointOf(event));
        break;
      case 'step': {
        const last = points.pop();
        if (last !== undefined) points.push(last.step === null ? withStep(last, event) : last);
        const { epoch, planned } = event;
        // Putting back what was cut off comes before any hold.
        if (!planned.recovers) mutations.push({ atMs, epoch, fenceEpoch });
        break;
      }
      case 'fence':
        fenceEpoch = event.epoch;
        break;
      case 'command':
        break;
    }
  }
  if (policy === null) return null;
  // I3 is not asked for.
  const orphanBudgetSeconds = Infinity;
  return { policy, points, mutations, pauses: pausesIn(events), orphanBudgetSeconds };
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

/** From each `pause` to the next `resume`: in between no step may begin. */
function pausesIn(events: readonly RecordedEvent[]): readonly PauseWindow[] {
  return events.flatMap((event, fromMs) => {
    if (event.kind !== 'command' || event.verb !== 'pause') return [];
    const resumed = events.findIndex(
      (each, index) => index > fromMs && each.kind === 'command' && each.verb === 'resume',
    );
    return [{ fromMs, toMs: resumed < 0 ? Infinity : resumed }];
  });
}
