import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster } from '../../activities/adapters/connect.js';
import { closeTransports } from '../../activities/adapters/shared-transports.js';
import type { ClusterActivities, RunContext } from '../../activities/contract.js';
import type {
  ActivityClock,
  ActivityDependencies,
  Authority,
} from '../../activities/dependencies.js';
import { quietScope } from '../../activities/dependencies.js';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import type { RecordSigner } from '../../activities/evidence/record-signer.js';
import { createActivities, createGuardActivities } from '../../activities/index.js';
import type { ClusterPorts } from '../../activities/ports.js';
import { type InventoryCluster, loadInventory } from '../../config/loaded-inventories.js';
import { USER_AGENTS } from '../../config/names.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { ClusterSpec } from '../../testbed/simulator/cluster/cluster-spec.js';
import { createCluster } from '../../testbed/simulator/cluster/create-cluster.js';
import type { JournalEntry } from '../../testbed/simulator/control/request-journal.js';
import { managerManifest } from '../../testbed/simulator/cluster/manifest-texts.js';
import type { ApiRequester } from '../../testbed/base/auth/requester.js';
import type { SimulatedCluster } from '../../testbed/simulator/model.js';
import { serveClusters } from '../../testbed/simulator/server/serve-clusters.js';
import { standInGuard, type StandInGuard } from '../support/stand-in-guard.js';
import { runByHand, type RunByHand } from './run-by-hand.js';
import { TIMINGS } from './run-context.js';
import { simulatorPolicy } from './simulator-policy.js';
import { createVirtualTime } from './virtual-time.js';
import type { RunTimings } from '../../domain/policy.js';

/** One simulated cluster served over HTTPS in this process, and the activities of one worker on it. */
export interface Environment extends RunByHand {
  readonly cluster: SimulatedCluster;
  readonly ports: ClusterPorts;
  readonly activities: ClusterActivities;
  readonly dependencies: ActivityDependencies;
  readonly guardDependencies: ActivityDependencies;
  readonly clock: ActivityClock;
  readonly context: RunContext;
  readonly ccmManifest: string;
  readonly url: string;
  readonly stateDir: string;
  /** Renews the fence of stories without a guard of their own. */
  readonly standIn: StandInGuard;
  evidence(): Promise<readonly EvidenceRecord[]>;
  /** Runs one of several lines of work that happen at the same simulated time. */
  takePart<T>(work: () => Promise<T>): Promise<T>;
  guard(signal: AbortSignal): ReturnType<ReturnType<typeof createGuardActivities>['guardCluster']>;
  /** The simulator's control API. */
  control<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T>;
  /** Every request so far, of any client. */
  journal(): Promise<readonly JournalEntry[]>;
  close(): Promise<void>;
}

export interface EnvironmentOptions {
  readonly spec?: Partial<ClusterSpec>;
  readonly policy?: Partial<MigrationPolicy>;
  /** Wraps the ports of the activities, to intercept a request. */
  readonly wrap?: (ports: ClusterPorts) => ClusterPorts;
  readonly lead?: number;
  /** Runs each step a second time, which must change nothing. */
  readonly twice?: boolean;
  readonly ccmManifest?: string;
  readonly timings?: Partial<RunTimings>;
  /** Instead of the cluster's administrator: the user of the worker's kubeconfig. */
  readonly requester?: ApiRequester;
  /** Before anything in the cluster is asked for. */
  readonly prepare?: (cluster: SimulatedCluster) => void;
  /** Who may do what; everyone unless given. */
  readonly authority?: Authority;
  /** Signs what the worker records; none unless given. */
  readonly signer?: RecordSigner;
}

export async function openEnvironment(options: EnvironmentOptions = {}): Promise<Environment> {
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
  const asUser = async (requester: ApiRequester): Promise<InventoryCluster> => {
    const kubeconfig = join(stateDir, 'worker.kubeconfig');
    await writeFile(kubeconfig, served.kubeconfigFor('c1', requester));
    return { ...entry, kubeconfig };
  };
  options.prepare?.(cluster);
  const worker = options.requester === undefined ? entry : await asUser(options.requester);
  const clock = time.activityClock;
  // Requests take no simulated time, but real time on a busy machine.
  const slack = { fenceRenewMs: 120_000, requestMs: 120_000 };
  const timings: RunTimings = { ...TIMINGS, ...slack, ...options.timings };
  const guardConnection = await connectCluster(worker, { userAgent: USER_AGENTS.guard });
  const standIn = standInGuard(guardConnection.api, timings);
  const connectAs = (userAgent: string) => async () => {
    const connection = await connectCluster(worker, { userAgent });
    const ports = userAgent === USER_AGENTS.guard ? connection : standIn.beside(connection);
    return { ...connection, ...ports, ...options.wrap?.(ports) };
  };
  const store = createFileEvidenceStore(join(stateDir, 'evidence'), options.signer);
  const dependencies: ActivityDependencies = {
    connect: connectAs(USER_AGENTS.steps),
    evidence: store,
    build: 'test',
    clock,
    log: { info: () => undefined, warn: () => undefined },
    scope: () => quietScope(),
    ...(options.authority === undefined ? {} : { authority: options.authority }),
  };
  const context: RunContext = {
    cluster: { name: 'c1', uid: cluster.uid },
    workflowId: `cluster-migration/${cluster.uid}`,
    runId: 'run-1',
    actor: 'ana',
    reason: 'upgrade',
    planDigest: 'sha256:plan',
    policy: simulatorPolicy(options.policy),
    timings,
  };
  const activities = createActivities(dependencies);
  const ports = await connectCluster(entry);
  const ccmManifest =
    options.ccmManifest ??
    managerManifest('ccm', {
      version: context.policy.ccm.version,
      cloudProvider: 'labcloud',
      migration: 'off',
    });
  const environment: Environment = {
    cluster,
    ports,
    activities,
    dependencies,
    clock,
    context,
    ccmManifest,
    url: served.url,
    stateDir,
    standIn,
    ...runByHand({ activities, context, ccmManifest, twice: options.twice === true }),
    evidence: () => store.read(context),
    takePart: (work) => time.takePart(work),
    guardDependencies: { ...dependencies, connect: connectAs(USER_AGENTS.guard) },
    guard: (signal) => {
      standIn.present = false;
      return createGuardActivities({
        ...environment.guardDependencies,
        scope: () => quietScope(signal),
      }).guardCluster({ ...context, nonce: 'guard', memory: null });
    },
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
      return (await environment.control<{ items: readonly JournalEntry[] }>('GET', path)).items;
    },
    close: async () => {
      await ports.close();
      await guardConnection.close();
      await closeTransports();
      await served.stop();
      time.stop();
      await rm(stateDir, { recursive: true });
    },
  };
  // Elections at the start are over by then.
  time.clock.advanceBy(options.lead ?? 30_000);
  return environment;
}
