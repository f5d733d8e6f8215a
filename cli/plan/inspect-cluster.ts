import { connectCluster } from '../../activities/adapters/connect.js';
import {
  NOT_LOOKED_AT,
  presumedNodeAccess,
} from '../../activities/adapters/machines/node-access-presumed.js';
import { closeTransports } from '../../activities/adapters/shared-transports.js';
import type { Inspection } from '../../activities/inspection.js';
import { inspectCluster as inspect } from '../../activities/inspection.js';
import type { KubernetesApi } from '../../activities/ports.js';
import type { RunSettings } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import type { Finding } from '../../domain/findings/finding.js';
import type { PreflightExtra, UnreadSource } from '../../domain/preflight/preflight-check.js';
import type { PreflightReport } from '../../domain/preflight/preflight.js';
import { preflight, preflightReport } from '../../domain/preflight/preflight.js';
import type { Target } from '../../domain/vocabulary.js';
import { CliError, refusalAt } from '../cli-error.js';

export interface Inspected {
  readonly uid: string;
  readonly inspection: Inspection;
  /** As text; not empty where the cluster has no node access: everything that nodes would report is then presumed. */
  readonly notChecked: readonly string[];
}

/** Observes a cluster from here, without Temporal; reads only. Without node access it is a preview. */
export async function inspectFromHere(
  cluster: InventoryCluster,
  { policy, timings, materials }: Pick<RunSettings, 'policy' | 'timings' | 'materials'>,
  signal: AbortSignal,
): Promise<Inspected> {
  return onClusterFromHere(cluster, timings, async (connection, uid) => {
    const named = { name: cluster.name, uid };
    const isPreview = cluster.nodeAccess.kind === 'none';
    const ports = isPreview
      ? { ...connection, ...presumedNodeAccess(cluster.name, connection.api) }
      : connection;
    return {
      uid,
      inspection: await inspect(ports, {
        cluster: named,
        ...{ policy, timings, materials, signal },
      }),
      notChecked: isPreview ? NOT_LOOKED_AT : [],
    };
  });
}

/** Connects, makes sure that it is the cluster that the inventory means, and disconnects. Errors name the cluster. */
export async function onClusterFromHere<T>(
  cluster: InventoryCluster,
  { requestMs }: Pick<RunSettings['timings'], 'requestMs'>,
  work: (connection: Connection, uid: string) => Promise<T>,
): Promise<T> {
  try {
    const connection = await connectCluster(cluster);
    try {
      return await work(connection, await identify(connection.api, cluster, requestMs));
    } finally {
      await connection.close();
      // Nothing else here uses the cluster, and an open SSH connection would keep the process alive.
      await closeTransports();
    }
  } catch (error) {
    throw refusalAt(cluster.name, error);
  }
}

type Connection = Awaited<ReturnType<typeof connectCluster>>;

/** UID of kube-system: identifies the cluster whatever its name here. */
async function identify(
  api: KubernetesApi,
  cluster: InventoryCluster,
  timeoutMs: number,
): Promise<string> {
  const ref = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
  const uid = (await api.get(ref, { timeoutMs }))?.object.metadata?.uid ?? '';
  if (uid === '') {
    throw new CliError('CCM4010', `${cluster.name}: its address serves no namespace kube-system`);
  }
  if (cluster.uid !== undefined && cluster.uid !== uid) {
    throw new CliError(
      'CCM4010',
      `${cluster.name}: the cluster at its address is ${uid}, the inventory says ${cluster.uid}`,
    );
  }
  return uid;
}

type InspectedCluster = Pick<Inspected, 'inspection' | 'notChecked'>;
type Wanted = Pick<RunSettings, 'policy' | 'materials'>;

/** Preflight of an inspected cluster, with everything read besides the observation. */
export function preflightFindings(
  inspected: InspectedCluster,
  wanted: Wanted,
  target: Target = 'ccm',
): readonly Finding[] {
  const { observation } = inspected.inspection.snapshot;
  return preflight(observation, wanted.policy, extraOf(inspected, wanted, target));
}

/** The same with the result of each check, from one observation. */
export function preflightOf(inspected: InspectedCluster, wanted: Wanted): PreflightReport {
  const { observation } = inspected.inspection.snapshot;
  return preflightReport(observation, wanted.policy, extraOf(inspected, wanted, 'ccm'));
}

/** Missing CCM permissions are no reason to keep the CCM: rollback checks neither them nor gates, which stop none of its steps. */
function extraOf(
  { inspection, notChecked }: InspectedCluster,
  { materials }: Wanted,
  target: Target,
): PreflightExtra {
  const { ccmDenied, beside, gatesUnread, probeRefused } = inspection;
  const kcmManifests = Object.fromEntries(
    Object.entries(inspection.manifests).flatMap(([node, { kcm }]) =>
      kcm === undefined ? [] : [[node, kcm]],
    ),
  );
  const isPreview = notChecked.length > 0;
  // A preview reads no page, which it reports as a whole.
  const isKnown = ({ source }: UnreadSource): boolean => !isPreview || source !== 'pages';
  return {
    ...{ ...materials, ...beside, kcmManifests, notChecked },
    ...(ccmDenied === null || target === 'kcm' ? {} : { ccmDenied }),
    ...(target === 'kcm' ? {} : { probeRefused, gatesUnread: gatesUnread.filter(isKnown) }),
  };
}
