import { bindAuthDelegator } from '../../lab/cluster/first-objects.js';
import { ApiClient } from '../../lab/cluster/api-client.js';
import type { LabCluster } from '../../lab/cluster/lab-cluster.js';
import { USERS } from '../../lab/cluster/pki.js';
import { openLab, type Lab } from '../../lab/lab.js';
import type { ClusterTruth } from '../../lab/truth/cluster-truth.js';
import type { NumberedRequest } from '../../lab/truth/truth-keeper.js';
import { valueAt } from '../../base/json.js';
import { awaited } from '../../lab/host/awaited.js';
import { FROM, TO } from './versions.js';

export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
export const PODS = '/api/v1/namespaces/kube-system/pods';
export const RBAC_ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles';
export const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings';
/** The Role that the guide patches; API servers create it. */
export const KCM_ROLE = 'system::leader-locking-kube-controller-manager';

export interface BenchContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

/** The test environment: one cluster of a lab on which every row is measured. */
export interface BenchEnvironment extends BenchContext {
  readonly lab: Lab;
  readonly cluster: LabCluster;
  /** Uses kubernetes-admin, whose requests the audit log counts; the lab's own client is another user. */
  readonly operator: ApiClient;
  /** Rules of {@link KCM_ROLE} before any patch. */
  readonly rulesOfKcmRole: unknown;
  close(): Promise<void>;
}

/** Opens a lab with this many nodes; when it rejects, nothing is left. */
export async function openBenchEnvironment(
  nodes: number,
  context: BenchContext,
): Promise<BenchEnvironment> {
  const { env, report, signal } = context;
  const lab = await openLab({
    ...{ nodes, from: FROM, to: TO, watched: true },
    // A vendor's manifests include the CCM's access; whether it is missing is not measured here.
    ccmAccess: true,
    ...{ env, report },
  });
  try {
    signal.throwIfAborted();
    const [cluster] = lab.clusters;
    if (cluster === undefined) throw new Error('the lab has no cluster');
    const { server, pki, api } = cluster;
    await bindAuthDelegator(api);
    const { certificatePem } = pki.authority;
    const operator = new ApiClient(server, certificatePem, pki.issue(USERS.admin));
    const role = await api.must('GET', `${RBAC_ROLES}/${KCM_ROLE}`);
    const close = async (): Promise<void> => {
      operator.close();
      await lab.close();
    };
    const rulesOfKcmRole = valueAt(role, 'rules');
    return { ...context, lab, cluster, operator, rulesOfKcmRole, close };
  } catch (error) {
    await lab.close();
    throw error;
  }
}

/** Names of the current control-plane nodes. */
export function nodeNames({ cluster }: BenchEnvironment): readonly string[] {
  return cluster.nodes
    .filter(({ spec }) => spec.role === 'controlPlane')
    .map(({ name }) => name)
    .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

const POLL_EVERY_MS = 1_000;

/** The first account from now on for which `isSo` holds. The process monitor reports its progress each half second. */
export async function truthWhere(
  { lab, cluster, signal }: BenchEnvironment,
  what: string,
  isSo: (truth: ClusterTruth) => boolean,
  withinMs: number,
): Promise<ClusterTruth> {
  const fromMs = Date.now();
  const snapshot = (): ClusterTruth | null => {
    const truth = lab.truth(cluster.name).truth(Date.now());
    return truth.nowMs >= fromMs && isSo(truth) ? truth : null;
  };
  return awaited(what, snapshot, { signal, withinMs, everyMs: POLL_EVERY_MS });
}

/** Requests of the operator's user, from an index on. */
export function requestsSince(
  { lab, cluster }: BenchEnvironment,
  since: number,
): readonly NumberedRequest[] {
  return lab.truth(cluster.name).requests(since);
}
