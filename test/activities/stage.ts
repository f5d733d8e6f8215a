import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster } from '../../activities/adapters/connect.js';
import { closeTransports } from '../../activities/adapters/shared-transports.js';
import type {
  ClusterActivities,
  FenceGrant,
  Look,
  RunContext,
  RunTimings,
  StepReport,
} from '../../activities/contract.js';
import type { ActivityClock, ActivityDependencies } from '../../activities/dependencies.js';
import { quietScope } from '../../activities/dependencies.js';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { createActivities, createGuardActivities } from '../../activities/index.js';
import type { ClusterPorts } from '../../activities/ports.js';
import { loadInventory } from '../../config/inventory.js';
import { USER_AGENTS } from '../../config/names.js';
import type { EvidenceRecord } from '../../domain/evidence.js';
import { nextStep } from '../../domain/next-step.js';
import type { ClusterObservation } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Step, StepEffect } from '../../domain/step.js';
import type { Target } from '../../domain/vocabulary.js';
import type { ClusterSpec } from '../../simulator/cluster/cluster-spec.js';
import { createCluster } from '../../simulator/cluster/create-cluster.js';
import type { JournalEntry } from '../../simulator/control/request-journal.js';
import { managerManifest } from '../../simulator/cluster/manifest-texts.js';
import type { SimulatedCluster } from '../../simulator/model.js';
import { serveClusters } from '../../simulator/server/serve-clusters.js';
import { TIMINGS } from './run-context.js';
import { OLD, simulatorPolicy } from './simulator-policy.js';
import { createVirtualTime } from './virtual-time.js';

/** One simulated cluster served over HTTPS in this process, and the activities of one worker on it. */
export interface Stage {
  readonly cluster: SimulatedCluster;
  readonly ports: ClusterPorts;
  readonly activities: ClusterActivities;
  readonly dependencies: ActivityDependencies;
  readonly guardDependencies: ActivityDependencies;
  readonly clock: ActivityClock;
  readonly context: RunContext;
  readonly ccmManifest: string;
  readonly url: string;
  look(): Promise<Look>;
  fence(nonce?: string, changes?: Partial<RunContext>): Promise<FenceGrant>;
  /** Carries out one effect as a step, in the epoch of the last fence taken. */
  take(effect: StepEffect, changes?: Partial<Step>): Promise<StepReport>;
  /** Steps by the rules until done; the names of the steps. */
  migrate(target: Target, watch?: StepWatcher): Promise<readonly string[]>;
  evidence(): Promise<readonly EvidenceRecord[]>;
  /** Runs one of several lines of work that happen at the same simulated time. */
  takePart<T>(work: () => Promise<T>): Promise<T>;
  guard(signal: AbortSignal): ReturnType<ReturnType<typeof createGuardActivities>['guardCluster']>;
  /** The simulator's control API. */
  control<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T>;
  /** Every request so far, of anyone. */
  journal(): Promise<readonly JournalEntry[]>;
  close(): Promise<void>;
}

/** Sees each step with the cluster before and after it. */
export type StepWatcher = (
  step: Step,
  before: ClusterObservation,
  after: ClusterObservation,
) => void;

const MOST_STEPS = 60;

export interface StageOptions {
  readonly spec?: Partial<ClusterSpec>;
  readonly policy?: Partial<MigrationPolicy>;
  /** Wraps what activities reach, to cut in at a request. */
  readonly wrap?: (ports: ClusterPorts) => ClusterPorts;
  readonly lead?: number;
  /** Runs each step a second time, which must change nothing. */
  readonly twice?: boolean;
  readonly ccmManifest?: string;
  readonly timings?: Partial<RunTimings>;
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const stateDir = await mkdtemp(join(tmpdir(), 'ccm-migrate-activities-'));
  const time = createVirtualTime();
  const cluster = createCluster({
    id: 'c1',
    workers: 2,
    loadBalancers: 2,
    ...options.spec,
    clock: time.clock,
  });
  const served = await serveClusters({ clusters: [cluster], port: 0, speed: 1, stateDir });
  const [entry] = await loadInventory(served.inventoryPath);
  if (entry === undefined) throw new Error('the simulator wrote an empty inventory');
  const clock = time.activityClock;
  const connectAs = (userAgent: string) => async () => {
    const connection = await connectCluster(entry, { userAgent });
    return { ...connection, ...options.wrap?.(connection) };
  };
  const store = createFileEvidenceStore(join(stateDir, 'evidence'));
  const dependencies: ActivityDependencies = {
    connect: connectAs(USER_AGENTS.steps),
    evidence: store,
    clock,
    log: { info: () => undefined, warn: () => undefined },
    scope: () => quietScope(),
  };
  const context: RunContext = {
    cluster: { name: 'c1', uid: cluster.uid },
    workflowId: `cluster-migration/${cluster.uid}`,
    runId: 'run-1',
    actor: 'ana',
    reason: 'upgrade',
    planDigest: 'sha256:plan',
    policy: simulatorPolicy(options.policy),
    // Requests take no simulated time, but real time on a busy machine; nobody guards most of these stories.
    timings: { ...TIMINGS, fenceRenewMs: 120_000, requestMs: 120_000, ...options.timings },
  };
  const activities = createActivities(dependencies);
  const ports = await connectCluster(entry);
  const state = { epoch: 0, nonces: 0, sightings: [] as Look['sightings'] };
  const ccmManifest =
    options.ccmManifest ??
    managerManifest(
      'ccm',
      { version: OLD, cloudProvider: 'labcloud', migration: 'off' },
      { livenessProbes: true },
    );
  const stage: Stage = {
    cluster,
    ports,
    activities,
    dependencies,
    clock,
    context,
    ccmManifest,
    url: served.url,
    look: async () => {
      const look = await activities.observeCluster({ ...context, sightings: state.sightings });
      state.sightings = look.sightings;
      return look;
    },
    fence: async (nonce, changes = {}) => {
      state.nonces += 1;
      const grant = await activities.takeFence({
        ...context,
        ...changes,
        nonce: nonce ?? `nonce-${String(state.nonces)}`,
      });
      state.epoch = grant.epoch;
      return grant;
    },
    take: async (effect, changes = {}) => {
      const step: Step = {
        name: 'enableLeaderMigration',
        phase: 'enableLeaderMigration',
        why: 'test',
        cures: ['CCM3002'],
        ...changes,
        effect,
      };
      const report = await activities.executeStep({
        ...context,
        epoch: state.epoch,
        step,
        materials: { ccmManifest },
        sightings: state.sightings,
      });
      state.sightings = report.sightings;
      return report;
    },
    migrate: async (target, watch = () => undefined) => {
      const names: string[] = [];
      let { observation } = await stage.look();
      for (;;) {
        const decision = nextStep(observation, target, context.policy);
        if (decision.kind === 'done') return names;
        if (decision.kind === 'blocked' || names.length >= MOST_STEPS) {
          throw new Error(`${names.join(' ')}: ${JSON.stringify(decision)}`);
        }
        names.push(decision.step.name);
        // Without a guard nobody renews the fence; a new epoch does.
        await stage.fence();
        const before = observation;
        ({ observation } = await stage.take(decision.step.effect, decision.step));
        watch(decision.step, before, observation);
        if (options.twice !== true) continue;
        const again = await stage.take(decision.step.effect, decision.step);
        if (again.summary.mutations > 0) {
          throw new Error(`${decision.step.name} again: ${again.summary.detail}`);
        }
      }
    },
    evidence: () => store.read(context),
    takePart: (work) => time.takePart(work),
    guardDependencies: { ...dependencies, connect: connectAs(USER_AGENTS.guard) },
    guard: (signal) =>
      createGuardActivities({
        ...stage.guardDependencies,
        scope: () => quietScope(signal),
      }).guardCluster({ ...context, nonce: 'guard' }),
    control: async <T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> => {
      const { Agent, fetch } = await import('undici');
      const token = /"token": "([^"]+)"/.exec(
        served.kubeconfigFor('c1', { user: 'kubernetes-admin', groups: ['system:masters'] }),
      )?.[1];
      const answer = await fetch(`${served.url}/clusters/c1/simulator/v1/${path}`, {
        method,
        dispatcher: new Agent({ connect: { ca: served.authorityPem } }),
        headers: { authorization: `Bearer ${token ?? ''}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await answer.json()) as T;
    },
    journal: async () => {
      const path = 'journal?since=0';
      return (await stage.control<{ items: readonly JournalEntry[] }>('GET', path)).items;
    },
    close: async () => {
      await ports.close();
      await closeTransports();
      await served.stop();
      time.stop();
      await rm(stateDir, { recursive: true });
    },
  };
  // Elections of the first day are over by then.
  time.clock.advanceBy(options.lead ?? 30_000);
  return stage;
}
