import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDraws } from '../../../../testbed/simulator/clock/draws.js';
import { CloudFaults } from '../../../../testbed/simulator/cloud/cloud-faults.js';
import { createRealClock } from '../../../../testbed/simulator/clock/real-clock.js';
import type {
  DraftObject,
  MachineAnswer,
  MachineOrderRequest,
  ObjectStore,
  SimulatedCluster,
  SimulatedFile,
  SimulatedNode,
} from '../../../../testbed/simulator/model.js';
import {
  serveClusters,
  type RunningSimulator,
  type ServeOptions,
} from '../../../../testbed/simulator/server/serve-clusters.js';
import { createObjectStore } from '../../../../testbed/simulator/store/object-store.js';
import { clientOf, type TestClient } from './https-client.js';

/** A cluster without actors: only the test changes anything. */
export interface BareCluster extends SimulatedCluster {
  readonly orders: MachineOrderRequest[];
  readonly killed: number[];
  setReachable(reachable: boolean): void;
}

const CONTROLLERS = { overlapSeconds: 0, orphanSeconds: 0, moves: 0, intervals: [], orphans: [] };

function bareCluster(id = 'alpha'): BareCluster {
  const clock = createRealClock();
  const store = createObjectStore({ clock, draws: createDraws(id) });
  seed(store);
  const files = new Map<string, SimulatedFile>();
  const killed: number[] = [];
  const orders: MachineOrderRequest[] = [];
  let reachable = true;
  const node: SimulatedNode = {
    name: 'cp-1',
    get reachable() {
      return reachable;
    },
    files: {
      read: (path) => files.get(path),
      list: (directory) =>
        [...files.keys()]
          .filter((path) => path.slice(0, path.lastIndexOf('/')) === directory)
          .map((path) => path.slice(directory.length + 1))
          .sort(),
      write: (path, content, mode = '0600') =>
        void files.set(path, { content, mode, changedAtMs: 0 }),
      remove: (path) => void files.delete(path),
      onChange: () => () => undefined,
    },
    host: () => ({
      hostname: 'cp-1.example',
      bootId: 'boot-1',
      bootTimeMs: 1000,
      processes: [
        {
          pid: 812,
          manager: 'kcm',
          startTicks: 100,
          startedAtMs: 2000,
          arguments: ['--leader-elect'],
          paused: false,
        },
        {
          pid: 813,
          manager: 'ccm',
          startTicks: 150,
          startedAtMs: 2500,
          arguments: [],
          paused: true,
        },
      ],
      kubelets: [],
    }),
    metrics: (manager) => (manager === 'kcm' ? 'leader_election_master_status 1\n' : null),
    elections: (manager) => (manager === 'kcm' ? 'leader_election_master_status 1' : null),
    metricsRefusal: () => null,
    configz: () => null,
    kill: (pid) => killed.push(pid) > 0,
    kubeletState: () => 'inactive (dead)',
    restartKubelet: () => undefined,
  };
  return {
    id,
    uid: 'uid',
    clock,
    store,
    apiServerVersion: 'v1.30.14',
    orders,
    killed,
    setReachable: (value) => {
      reachable = value;
    },
    machines: {
      etcdMemberRemoval: 'machinesApi',
      list: () => [],
      order: (request) => {
        orders.push(request);
        return orderAnswer(request);
      },
      delete: (name, { epoch }) =>
        epoch < 3
          ? { kind: 'refused', reason: 'StaleEpoch', message: 'older' }
          : { kind: name === 'cp-4' ? 'deleting' : 'gone' },
    },
    trust: (pem) => node.files.write('/etc/kubernetes/pki/ca.crt', pem, '0600'),
    etcd: () => null,
    nodes: () => [node],
    node: (name) => (name === 'cp-1' ? node : undefined),
    crashProcess: (name) => name === 'cp-1',
    pauseProcess: () => false,
    resumeProcess: () => false,
    crashNode: () => false,
    partitionNode: () => false,
    healNode: () => false,
    deleteCloudLoadBalancer: (service) => service === 'default/web',
    emptyCloudLoadBalancer: (service) => service === 'default/web',
    cloudLoadBalancers: () => [{ id: 'a1', addresses: ['198.18.0.1'], backends: ['worker-1'] }],
    truth: () => ({
      nowMs: clock.nowMs(),
      cloudCalls: 0,
      controllers: {
        service: CONTROLLERS,
        route: CONTROLLERS,
        'cloud-node-lifecycle': CONTROLLERS,
      },
    }),
    cloudJournal: () => [],
    cloudFaults: new CloudFaults(createDraws(id), () => undefined),
    hangingCloudCalls: () => 0,
    stop: () => clock.stop(),
  };
}

function orderAnswer({ name, side, epoch }: MachineOrderRequest): MachineAnswer {
  if (epoch < 3) return { kind: 'refused', reason: 'StaleEpoch', message: 'older' };
  const machine = {
    name,
    side,
    state: 'ordered',
    node: null,
    providerId: null,
    reason: '',
  } as const;
  return { kind: 'created', machine };
}

function seed(store: ObjectStore): void {
  for (const name of ['kube-system', 'default']) put(store, 'namespaces', namespace(name));
  put(store, 'nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'cp-1', labels: { role: 'control-plane' } },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
}

function namespace(name: string): DraftObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase: 'Active' } };
}

/** Stores an object bypassing the API; throws when the store refuses it. */
export function put(store: ObjectStore, resource: string, draft: DraftObject): void {
  const answer = store.create(resource, draft);
  if (!answer.ok) throw new Error(answer.message);
}

export interface ApiEnvironment {
  readonly cluster: BareCluster;
  readonly simulator: RunningSimulator;
  readonly admin: TestClient;
  /** A client of another user. */
  as(user: string, groups?: readonly string[]): TestClient;
  end(): Promise<void>;
}

/** One bare cluster behind a real HTTPS server. */
export async function openApiEnvironment(
  options: Partial<ServeOptions> = {},
): Promise<ApiEnvironment> {
  const cluster = bareCluster();
  const stateDir = mkdtempSync(join(tmpdir(), 'simulator-api-'));
  const simulator = await serveClusters({
    clusters: [cluster],
    port: 0,
    speed: 1,
    stateDir,
    bookmarkMs: 20,
    ...options,
  });
  const as = (user: string, groups: readonly string[] = []): TestClient =>
    clientOf(simulator.kubeconfigFor('alpha', { user, groups }));
  return {
    cluster,
    simulator,
    admin: as('admin', ['system:masters']),
    as,
    end: async () => {
      await simulator.stop();
      rmSync(stateDir, { recursive: true });
    },
  };
}
