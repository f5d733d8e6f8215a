import type {
  ClusterActivities,
  DecidedObservation,
  GuardActivities,
  GuardInput,
  GuardReport,
  ObserveInput,
  PlannedStepInput,
  SoakInput,
  SoakReport,
} from '../../../activities/contract.js';
import type { ActivityDependencies } from '../../../activities/dependencies.js';
import { failure } from '../../../activities/failures.js';
import { decideRun } from '../../../domain/decision/decide-run.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import { packObservation } from '../../../domain/observation/packed-observation.js';
import type { RunTimings } from '../../../domain/policy.js';
import {
  holdsFence,
  isGuardedFor,
  requireBenchFence,
  type BenchCluster,
  type BenchClusters,
} from './bench-cluster.js';
import { benchObservation } from './bench-observation.js';
import { benchRules, failureKind, nextBenchStep } from './bench-rules.js';

/** What the activities of the model need: the clusters, and what any activity has. */
export interface BenchModel extends Pick<ActivityDependencies, 'clock' | 'scope' | 'build'> {
  readonly clusters: BenchClusters;
  /** Steps of one direction. */
  readonly steps: number;
  /** How long a run that begins waits for its turn, in milliseconds. */
  readonly turn: () => number;
}

/** The activities of the contract on clusters that only take time. */
export function benchActivities(model: BenchModel): ClusterActivities & GuardActivities {
  const { clusters, clock } = model;
  return {
    ...reads(model),
    takeFence: async ({ cluster, runId, nonce }) => takeFence(model, cluster, runId, nonce),
    executeStep: async (input) => {
      const cluster = clusters.find(input.cluster);
      await guarded(model, cluster, input);
      const startedMs = clock.nowMs();
      await execute(model, cluster, input);
      const durationMs = clock.nowMs() - startedMs;
      const summary = { mutations: 1, requests: 3, durationMs, detail: 'model', orphanMs: 0 };
      return { ...decidedFor(model, cluster, input), verdicts: PASSED, summary };
    },
    soak: (input) => soak(model, input),
    closeRun: async ({ cluster, runId, outcome }) => {
      const found = clusters.find(cluster);
      if (found.fence.run === runId) clusters.note(found, { kind: 'closed', outcome });
      return { evidenceRecords: 1, evidenceHead: 'sha256:model' };
    },
    guardCluster: (input) => guard(model, input),
  };
}

function reads(
  model: BenchModel,
): Pick<
  ClusterActivities,
  'checkStart' | 'admitCommand' | 'observeCluster' | 'awaitChange' | 'restFence'
> {
  const { clusters } = model;
  return {
    admitCommand: async () => Promise.resolve({ kind: 'admitted', principal: '', note: '' }),
    checkStart: async ({ cluster, decide, timings }) => {
      clusters.find(cluster);
      if (decide.revision === 0) await lasting(model, timings, model.turn());
      const planDigest = decide.revision === 0 ? null : `sha256:plan ${decide.target}`;
      return { planDigest, objections: [] };
    },
    observeCluster: async (input) => {
      const cluster = clusters.find(input.cluster);
      await guarded(model, cluster, input);
      return decidedFor(model, cluster, input);
    },
    awaitChange: async (input) => {
      const cluster = clusters.find(input.cluster);
      await lasting(model, input.timings, Math.min(input.timings.settleMs, input.atMostMs));
      await guarded(model, cluster, input);
      const { decision } = decidedFor(model, cluster, input);
      const ended = input.goal.kind === 'decision' ? 'timeUp' : input.goal.kind;
      return { ended, decision, firstSeen: [] };
    },
    restFence: async ({ cluster }) => void clusters.find(cluster),
  };
}

function takeFence(
  { clusters }: BenchModel,
  named: { readonly name: string },
  run: string,
  nonce: string,
): { readonly epoch: number; readonly displaced: string } {
  const cluster = clusters.find(named);
  const { fence } = cluster;
  if (fence.run !== '' && fence.run !== run) {
    throw failure('AlreadyRunning', `the fence is held by run ${fence.run}`);
  }
  if (fence.run !== run || fence.nonce !== nonce) {
    clusters.note(cluster, { kind: 'fence', run, nonce, epoch: fence.epoch + 1 });
  }
  return { epoch: fence.epoch, displaced: '' };
}

async function execute(
  model: BenchModel,
  cluster: BenchCluster,
  input: PlannedStepInput,
): Promise<void> {
  requireBenchFence(cluster, input);
  // The last comparison with the start of the run changes nothing.
  if (input.planned.step.effect.kind === 'verify') return;
  const { target } = input.decide;
  const step = nextBenchStep(cluster.behaviour, model.steps, cluster.done, target);
  model.clusters.note(cluster, { kind: 'step', target });
  await lasting(model, input.timings, step.takesMs);
  requireBenchFence(cluster, input);
  if (step.fails !== null) {
    model.clusters.note(cluster, { kind: 'failed', signature: step.fails });
  }
  model.clusters.note(cluster, { kind: 'changed', target, done: step.done });
  if (step.fails !== null) {
    throw failure(failureKind(step.fails), 'drawn to fail', { details: { wrote: true } });
  }
}

async function soak(model: BenchModel, input: SoakInput): Promise<SoakReport> {
  const { clusters, clock } = model;
  const cluster = clusters.find(input.cluster);
  const { target } = input.decide;
  const { inventory } = benchObservation(cluster.name, input.cluster.uid, clock.nowMs());
  const report = (soakedMs: number): SoakReport => {
    const complete = soakedMs >= input.soakMs;
    const progress = { soakedMs, inventory, orphanedMs: 0 };
    return { ...decidedFor(model, cluster, input), verdicts: PASSED, complete, progress };
  };
  if (input.soakMs === 0) return report(0);
  clusters.note(cluster, { kind: 'soak', target });
  const soakedMs = await soakOn(model, input);
  if (soakedMs >= input.soakMs) clusters.note(cluster, { kind: 'soaked', target });
  return report(soakedMs);
}

/** Continues where the attempt before was, as the real one does; a cancelled one returns how far it came. */
async function soakOn({ clock, scope }: BenchModel, input: SoakInput): Promise<number> {
  const opened = scope();
  const { signal, lastHeartbeat } = opened;
  const before = typeof lastHeartbeat === 'number' ? lastHeartbeat : input.progress?.soakedMs;
  const beganMs = clock.nowMs() - (before ?? 0);
  for (;;) {
    const soakedMs = clock.nowMs() - beganMs;
    if (soakedMs >= input.soakMs || signal.aborted) return soakedMs;
    opened.heartbeat(soakedMs);
    const leftMs = Math.min(input.soakMs - soakedMs, input.timings.heartbeatMs / 3);
    await clock.sleep(leftMs, signal).catch(() => undefined);
  }
}

/** Renews the fence in memory. Its heartbeats are as frequent as the real guard's. */
async function guard(model: BenchModel, input: GuardInput): Promise<GuardReport> {
  const cluster = model.clusters.find(input.cluster);
  const opened = model.scope();
  const { signal } = opened;
  const { guardMs, heartbeatMs } = input.timings;
  let observations = input.memory?.observations ?? 0;
  let beatAtMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted && cluster.fence.run === input.runId) {
    cluster.fence.guardedEpoch = cluster.fence.epoch;
    observations += 1;
    const nowMs = model.clock.nowMs();
    if (nowMs - beatAtMs >= heartbeatMs / 3 - guardMs) {
      beatAtMs = nowMs;
      opened.heartbeat(memoryOf(observations));
    }
    await model.clock.sleep(guardMs, signal).catch(() => undefined);
  }
  const ended = signal.aborted ? 'cancelled' : 'fenceLost';
  return {
    observations,
    breaches: [],
    ownership: NO_SECONDS,
    ended,
    memory: memoryOf(observations),
  };
}

function memoryOf(observations: number): GuardReport['memory'] {
  const trace = { atMs: 0, controllers: [] };
  const seen = { reachable: {}, apiReachable: true, firstSeen: [] };
  return { guard: 1, observations, breaches: [], trace, ...seen };
}

const NO_SECONDS = { overlapSeconds: 0, orphanSeconds: 0, unknownSeconds: 0, moves: 0 };

const PASSED: readonly GateVerdict[] = [
  { gate: 'oneOwner', hardness: 'hard', verdict: 'pass', detail: 'model', code: 'CCM3001' },
];

/** Waits until the guard has renewed the fence in this epoch, for as long as a step would; not for another run or epoch. */
async function guarded(
  { clock, scope }: BenchModel,
  cluster: BenchCluster,
  input: Pick<ObserveInput, 'runId' | 'epoch' | 'timings'>,
): Promise<void> {
  const opened = scope();
  const deadlineMs = clock.nowMs() + input.timings.guardWaitMs;
  const waits = (): boolean => holdsFence(cluster, input) && !isGuardedFor(cluster, input);
  while (waits() && clock.nowMs() < deadlineMs) {
    opened.heartbeat(null);
    await clock.sleep(input.timings.pollMs, opened.signal);
  }
}

/** Rejects when the activity is cancelled. */
async function lasting(
  { clock, scope }: BenchModel,
  { heartbeatMs }: RunTimings,
  ms: number,
): Promise<void> {
  const opened = scope();
  const untilMs = clock.nowMs() + ms;
  for (let leftMs = ms; leftMs > 0; leftMs = untilMs - clock.nowMs()) {
    opened.heartbeat(null);
    await clock.sleep(Math.min(leftMs, heartbeatMs / 3), opened.signal);
  }
}

function decidedFor(
  { clock, steps, build }: BenchModel,
  cluster: BenchCluster,
  input: ObserveInput,
): DecidedObservation {
  const observation = benchObservation(cluster.name, input.cluster.uid, clock.nowMs());
  const rules = benchRules(cluster.done, steps);
  const decision = decideRun(observation, input.policy, input.decide, rules);
  return {
    ...{ observation: packObservation(observation), firstSeen: [], decision, decidedBy: build },
    guarded: isGuardedFor(cluster, input),
  };
}
