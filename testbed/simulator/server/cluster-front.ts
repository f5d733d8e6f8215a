import type { SimulatedCluster } from '../model.js';
import type { ApiContext } from '../api/context.js';
import { ChangeHistory } from '../api/history.js';
import { answerKubernetes, summarize } from '../api/kubernetes-api.js';
import type { ServedAnswer, RequestSummary, ClusterRequest } from '../../base/http/request.js';
import type { Credentials } from '../../base/auth/credentials.js';
import { RequestJournal } from '../control/request-journal.js';
import { FaultPlan } from '../faults/fault-plan.js';
import { Parking } from '../faults/parking.js';
import { answerCloud, summarizeCloud } from '../../base/cloud-api.js';
import { answerMachines, summarizeMachines } from '../../base/machines/machines-api.js';
import { answerNodeAccess, summarizeNodeAccess } from '../node-access/node-access-api.js';
import { refusedEndpoint } from './refused-endpoint.js';

export interface FrontOptions {
  readonly bookmarkMs: number;
  readonly historyLimit: number;
}

export interface Effect {
  readonly answer: ServedAnswer;
  readonly tookEffect: boolean;
}

const NODE_ACCESS = '/node-access';
const MACHINES = '/machines-api';
const CLOUD = '/cloud-api';

/** The external interface of one cluster, with the journal of its requests and its faults. */
export class ClusterFront {
  readonly cluster: SimulatedCluster;
  readonly credentials: Credentials;
  readonly journal = new RequestJournal();
  readonly faults: FaultPlan;
  readonly parking = new Parking();
  private readonly history: ChangeHistory;
  private readonly bookmarkMs: number;

  constructor(cluster: SimulatedCluster, credentials: Credentials, options: FrontOptions) {
    this.cluster = cluster;
    this.credentials = credentials;
    this.faults = new FaultPlan(() => cluster.clock.nowMs());
    this.history = new ChangeHistory(cluster.store, options.historyLimit);
    this.bookmarkMs = options.bookmarkMs;
  }

  summarize(request: ClusterRequest): RequestSummary {
    if (isBehind(request, NODE_ACCESS)) return summarizeNodeAccess(behind(request, NODE_ACCESS));
    if (isBehind(request, MACHINES)) return summarizeMachines(behind(request, MACHINES));
    if (isBehind(request, CLOUD)) return summarizeCloud(behind(request, CLOUD));
    return summarize(request);
  }

  /** Executes a request. `stale` serves reads from before the last change. */
  applyOperation(request: ClusterRequest, stale: boolean): Effect {
    const { mutating } = this.summarize(request);
    const { store } = this.cluster;
    const before = store.resourceVersion();
    const answer = this.answer(request, stale);
    const accepted = mutating && answer.code < 300;
    const isApi = ![NODE_ACCESS, MACHINES, CLOUD].some((prefix) => isBehind(request, prefix));
    return { answer, tookEffect: accepted && (!isApi || store.resourceVersion() !== before) };
  }

  stop(): void {
    this.parking.release();
    this.history.stop();
    this.cluster.stop();
  }

  private answer(request: ClusterRequest, stale: boolean): ServedAnswer {
    const { cluster, history, bookmarkMs } = this;
    if (isBehind(request, NODE_ACCESS)) {
      const inner = behind(request, NODE_ACCESS);
      return refusedEndpoint(cluster.store, inner, 'nodes') ?? answerNodeAccess(cluster, inner);
    }
    if (isBehind(request, MACHINES)) {
      const inner = behind(request, MACHINES);
      return (
        refusedEndpoint(cluster.store, inner, 'machines') ?? answerMachines(cluster.machines, inner)
      );
    }
    if (isBehind(request, CLOUD)) {
      const inner = behind(request, CLOUD);
      const list = () => cluster.cloudLoadBalancers();
      return refusedEndpoint(cluster.store, inner, 'cloud') ?? answerCloud(list, inner);
    }
    const context: ApiContext = { cluster, store: cluster.store, history, bookmarkMs, stale };
    return answerKubernetes(context, request);
  }
}

function isBehind({ path }: ClusterRequest, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function behind(request: ClusterRequest, prefix: string): ClusterRequest {
  return { ...request, path: request.path.slice(prefix.length) };
}
