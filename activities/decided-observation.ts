import { decideRun } from '../domain/decision/decide-run.js';
import type { DecisionRequest } from '../domain/decision/run-decision.js';
import { packObservation } from '../domain/observation/packed-observation.js';
import { EFFECT_VERSIONS } from '../domain/decision/step.js';
import type {
  DecidedObservation,
  Snapshot,
  ObserveInput,
  PlannedStepInput,
  RunContext,
} from './contract.js';
import type { ActivityDependencies } from './dependencies.js';
import { failure } from './failures.js';
import type { FenceRecord } from './fence/fence-record.js';
import { listFence } from './fence/read-fence.js';
import type { KubernetesApi } from './ports.js';

/** Decides in the activity that observed, so that the history holds both and no rule runs in workflow code. */
export function decided(
  { build: decidedBy }: Pick<ActivityDependencies, 'build'>,
  { observation, firstSeen, observationId }: Snapshot,
  { policy, decide }: Pick<RunContext, 'policy'> & { readonly decide: DecisionRequest },
  guarded: boolean,
): DecidedObservation {
  const decision = decideRun(observation, policy, decide);
  return {
    ...{ observation: packObservation(observation), firstSeen, observationId },
    ...{ decision, decidedBy, guarded },
  };
}

/** Whether the fence is this run's, in this epoch, and renewed by the guard itself. */
export function isGuarded(
  fence: FenceRecord | null,
  { runId, epoch }: Pick<ObserveInput, 'runId' | 'epoch'>,
): boolean {
  return fence?.runId === runId && fence.epoch === epoch && fence.guardedEpoch === epoch;
}

/** Waits until the guard has renewed the fence, for as long as a step would; returns whether it did. */
export async function awaitGuard(
  { clock, scope: openScope }: Pick<ActivityDependencies, 'clock' | 'scope'>,
  api: KubernetesApi,
  input: Pick<ObserveInput, 'runId' | 'epoch' | 'timings'>,
): Promise<boolean> {
  const scope = openScope();
  const { guardWaitMs, pollMs, requestMs } = input.timings;
  const deadline = clock.nowMs() + guardWaitMs;
  for (;;) {
    const { fence } = await listFence(api, { timeoutMs: requestMs });
    if (isGuarded(fence, input)) return true;
    // Waiting does not help when another run or epoch holds the fence.
    if (fence?.runId !== input.runId || fence.epoch !== input.epoch) return false;
    if (clock.nowMs() >= deadline) return false;
    scope.heartbeat({ progress: 'waiting for the guard' });
    await clock.sleep(pollMs, scope.signal);
  }
}

/** An executor that does not know an effect, or this version of it, refuses before it writes. */
export function requireKnownEffect({ planned: { step, effectVersion } }: PlannedStepInput): void {
  const { kind } = step.effect;
  const known = Object.hasOwn(EFFECT_VERSIONS, kind) ? EFFECT_VERSIONS[kind] : null;
  if (known === effectVersion) return;
  const here = known === null ? 'does not know it' : `knows version ${String(known)}`;
  throw failure(
    'UnknownStep',
    `step ${step.name} has effect ${kind} in version ${String(effectVersion)}; this worker ${here}. ` +
      'Finish the upgrade of the workers of this region; the run continues by itself',
    { details: { wrote: false } },
  );
}
