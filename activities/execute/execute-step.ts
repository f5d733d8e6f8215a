import { CancelledFailure } from '@temporalio/common';
import type { StepEffect } from '../../domain/decision/step.js';
import type { FailureType } from '../../domain/failures.js';
import { hardGates } from '../../domain/gates/hard-gates.js';
import type { Since } from '../../domain/gates/survival-gates.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import { COMPONENTS } from '../../domain/managers/controller-names.js';
import { clusterOwner } from '../../domain/ownership/owners.js';
import type { StepInput, StepReport } from '../contract.js';
import type { ActivityDependencies, ActivityLog, ClusterConnection } from '../dependencies.js';
import { requireEvidence } from '../evidence/continued-evidence.js';
import { failure, failureDetailsOf, failureTypeOf } from '../failures.js';
import { dropUsedSuccessors } from '../fence/drop-successors.js';
import { closeOpenIntents } from '../fence/fenced-mutation.js';
import { verifyFence } from '../fence/verify-fence.js';
import type { FenceToken } from '../fence/read-fence.js';
import { judgeFence, requireOpen } from '../fence/read-fence.js';
import { sinceInventory } from '../observe/inventory.js';
import type { RefreshOptions, ObservationCache } from '../observe/observation-cache.js';
import type { CollectedSnapshot } from '../observe/collect-snapshot.js';
import { executeEffect } from './execute-effect.js';
import { checkPreconditions } from './preconditions.js';
import { requireDue } from './require-due.js';
import type { EffectReport, StepSession } from './step-session.js';
import { orphanMsOf, safePoint } from './step-session.js';

/**
 * One step as one critical section: observe (including the fence), preconditions and gates, effect with its proofs, observe
 * again, hard gates. Before it starts, what an earlier attempt of this run left open is closed by observation, and remains of
 * an interrupted one are removed. Every failure states whether anything was started before it (`wrote`).
 */
export function executeStep(
  dependencies: ActivityDependencies,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: StepInput,
): Promise<StepReport> {
  const counts = { mutations: 0, intents: 0 };
  const { evidence, log } = dependencies;
  return tellingWhatItWrote(log, input, counts, async () => {
    await requireEvidence(evidence, input);
    const report = await takeStep(dependencies, memory, connection, input, counts);
    return { ...report, evidence: await evidence.head(input) };
  });
}

async function takeStep(
  dependencies: ActivityDependencies,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: StepInput,
  counts: StepSession['counts'],
): Promise<StepReport> {
  const { clock } = dependencies;
  const startedAtMs = clock.nowMs();
  const { cures, phase } = input.step;
  const passesSoft = phase === 'repair' || input.passesSoft === true;
  const token: FenceToken = { ...input, cures, passesSoft };
  const before = await observeUnderFence(dependencies, memory, connection, input, token);
  const due = await requireDue(dependencies, input, before.observation);
  const session = openSession(dependencies, connection, { input, token, before, counts, due });
  await closeOpenIntents(session);
  await dropUsedSuccessors(session);
  checkPreconditions(session);
  safePoint(session);
  const report = await executeEffect(session);
  const after = await observeAfter(dependencies, memory, connection, { input, before, report });
  const orphanMs = orphanMsOf(report, after.observation, after.leases, input.policy);
  return {
    observation: after.observation,
    firstSeen: after.firstSeen,
    observationId: after.observationId,
    verdicts: verdictsOf(input, before, after, { report, orphanMs }),
    ...(report.probe === undefined ? {} : { probe: report.probe }),
    summary: {
      ...{ mutations: session.counts.mutations, requests: connection.requests() },
      durationMs: clock.nowMs() - startedAtMs,
      detail: session.notes.length === 0 ? 'nothing to change' : session.notes.join(', '),
      orphanMs: Math.round(orphanMs),
    },
  };
}

/** The observation that the step starts with, while its fence is open. */
async function observeUnderFence(
  { clock, scope }: ActivityDependencies,
  memory: ObservationCache,
  connection: ClusterConnection,
  input: StepInput,
  token: FenceToken,
): Promise<CollectedSnapshot> {
  const first = await memory.snapshot(connection, clock, input, { carryPods: true });
  const { signal } = scope();
  if (!(await verifyFence({ api: connection.api, clock, token, signal }, first))) return first;
  const again = { ...input, observationId: first.observationId };
  const before = await memory.snapshot(connection, clock, again, { carryPods: true });
  requireOpen(judgeFence(token, before.fence, before.serverTimeMs));
  return before;
}

interface Begun {
  readonly input: StepInput;
  readonly token: FenceToken;
  readonly before: CollectedSnapshot;
  readonly counts: StepSession['counts'];
  readonly due: string | null;
}

function openSession(
  { evidence, clock, scope, log }: ActivityDependencies,
  ports: ClusterConnection,
  { input, token, before, counts, due }: Begun,
): StepSession {
  const { fence, serverTimeMs, observation, live } = before;
  return {
    ports,
    token,
    step: input.step.name,
    due,
    evidence,
    clock,
    counts,
    seen: { fence: { fence, serverTimeMs, atMs: live.leasesAskedAtMs } },
    input,
    scope: scope(),
    log,
    before: observation,
    snapshot: before,
    cached: before.cached,
    notes: [],
  };
}

interface After {
  readonly input: StepInput;
  readonly before: CollectedSnapshot;
  readonly report: EffectReport;
}

/** Everything the effect may have changed is re-read; processes, files and Leases always are. */
async function observeAfter(
  { clock }: ActivityDependencies,
  memory: ObservationCache,
  connection: ClusterConnection,
  { input, before, report }: After,
): Promise<CollectedSnapshot> {
  if (report.snapshot !== undefined) return memory.keep(input.runId, report.snapshot);
  const { effect } = input.step;
  const refreshOptions: RefreshOptions = { refresh: report.changed ?? [], learned: report.learned };
  if (effect.kind === 'recordBaseline' || effect.kind === 'setAccess') {
    return memory.refreshSnapshot(connection, before, input, refreshOptions);
  }
  const { firstSeen, observationId } = before;
  const sighted = { ...input, firstSeen, observationId };
  return memory.snapshot(connection, clock, sighted, {
    ...refreshOptions,
    reuse: likeBefore(effect, before, report),
  });
}

/** Changing a manager by its manifest leaves Nodes and other pods as they were at the start of the step. */
function likeBefore(
  effect: StepEffect,
  snapshot: CollectedSnapshot,
  { changed = [] }: EffectReport,
): RefreshOptions['reuse'] {
  if (effect.kind !== 'changeManager' || changed.includes('workload')) return undefined;
  const { node, want } = effect;
  // Where etcd runs in pods, their health must be fresh.
  if (snapshot.observation.etcd.topology === 'stacked') return undefined;
  return { snapshot, except: { node, component: COMPONENTS[want.manager] } };
}

function sinceObservation(
  { observation, cached }: CollectedSnapshot,
  after: CollectedSnapshot,
): Since {
  return sinceInventory(observation.inventory, cached.loadBalancers, after.cached.loadBalancers);
}

/** The inventory is compared only where the step re-read it. */
function verdictsOf(
  { policy }: StepInput,
  before: CollectedSnapshot,
  after: CollectedSnapshot,
  { report, orphanMs }: { readonly report: EffectReport; readonly orphanMs: number },
): readonly GateVerdict[] {
  const { controllers } = policy.lock;
  const orphaned = clusterOwner(before.observation, controllers) === 'none';
  const compared = report.changed?.includes('inventory') === true;
  const hard = hardGates(after.observation, {
    controllers,
    nodes: policy.nodes,
    // A step that started without an owner did not lose it; the guard knows since when it is missing.
    orphanMs: orphaned ? 0 : orphanMs,
    orphanBudgetMs: policy.orphanBudgetMs,
    inventory: compared ? sinceObservation(before, after) : null,
  });
  return [...hard, ...(report.verdicts ?? [])];
}

/**
 * Runs a step's work; the details of every failure say whether a mutation was started before it (`wrote`). Without one
 * nothing in the cluster has changed, and the run need not treat the outcome as unknown.
 */
async function tellingWhatItWrote<T>(
  log: ActivityLog,
  { cluster, step }: Pick<StepInput, 'cluster' | 'step'>,
  counts: { readonly intents: number },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const wrote = counts.intents > 0;
    if (error instanceof CancelledFailure) {
      throw new CancelledFailure(error.message, [{ wrote }], error.cause);
    }
    const type = failureTypeOf(error);
    if (type === null) logMistake(log, { cluster: cluster.name, step: step.name, error });
    throw telling(error, type, wrote);
  }
}

/** The same failure with `wrote`; what no adapter mapped to the closed list is a bug of ours. */
function telling(error: unknown, type: FailureType | null, wrote: boolean): Error {
  const message = error instanceof Error ? error.message : String(error);
  const details = { ...failureDetailsOf(error), wrote };
  const delay = retryDelayOf(error);
  return failure(type ?? 'Bug', message, {
    details,
    ...(delay === null ? {} : { nextRetryDelayMs: delay }),
    ...(type === null ? { cause: error } : causeOf(error)),
  });
}

function causeOf(error: unknown): { readonly cause?: unknown } {
  return error instanceof Error && error.cause !== undefined ? { cause: error.cause } : {};
}

function retryDelayOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('nextRetryDelay' in error)) return null;
  return typeof error.nextRetryDelay === 'number' ? error.nextRetryDelay : null;
}

/** The failure itself carries no stack: only the worker's log shows where the bug is. */
function logMistake(
  log: ActivityLog,
  {
    error,
    ...fields
  }: { readonly error: unknown; readonly cluster: string; readonly step: string },
): void {
  log.warn('a bug in a step', {
    ...fields,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
}
