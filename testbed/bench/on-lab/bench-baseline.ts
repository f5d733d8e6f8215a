import { COMPONENTS } from '../../../domain/managers/controller-names.js';
import { MANIFEST_PATHS, LEADER_MIGRATION_FOLDER } from '../../../domain/manifests/paths.js';
import { inTreeKcmManifest } from '../../lab/cluster/manifests.js';
import { leaseHolder } from '../../lab/cluster/object-fields.js';
import { removeTracesOfRuns } from '../../lab/cluster/traces-of-runs.js';
import { removeDiskFile, removeFolder, replaceFile } from '../../lab/nodes/node-disk-writes.js';
import { leaseGrant } from '../../simulator/cluster/bootstrap-access.js';
import { BUILT_IN_LEADER_NAME } from '../../simulator/versions/behaviour.js';
import {
  BINDINGS,
  KCM_ROLE,
  LEASES,
  nodeNames,
  PODS,
  RBAC_ROLES,
  truthWhere,
  type BenchEnvironment,
} from './bench-environment.js';
import { awaitedTrue } from '../../lab/host/awaited.js';
import { GUIDE_FILE, ofRun } from './guide-files.js';
import { isOwnedBy } from './settled.js';
import { FROM } from './versions.js';
import { MANAGERS } from '../../../domain/vocabulary.js';

const PATIENCE = { withinMs: 120_000, everyMs: 200 } as const;

/**
 * Resets the cluster to its state before any migration: in-tree KCMs without Leader Migration, no CCM, no grant, only
 * the Leases that the KCMs created again, and nothing of earlier runs but the fence. The KCM of the given node leads.
 */
export async function layBaseline(
  environment: BenchEnvironment,
  leader: string,
  run: string,
): Promise<void> {
  const { cluster, signal } = environment;
  const names = nodeNames(environment);
  for (const name of names) clearNode(environment, name);
  const patience = { signal, ...PATIENCE };
  await awaitedTrue('every manager is gone', () => areGone(environment), patience);
  await clearCluster(environment);
  const kcm = inTreeKcmManifest(FROM, ofRun(run));
  writeKcm(environment, leader, kcm);
  const holds = async (): Promise<boolean> => {
    const { body } = await cluster.api.send('GET', `${LEASES}/${COMPONENTS.kcm}`);
    const { hostname } = cluster.node(leader).spec;
    return leaseHolder(body).startsWith(`${hostname}_`);
  };
  await awaitedTrue(`the KCM of ${leader} leads`, holds, patience);
  for (const name of names) if (name !== leader) writeKcm(environment, name, kcm);
  const allRun = (): boolean =>
    names.every((name) => cluster.node(name).managerProcesses('kcm').length > 0);
  await awaitedTrue('every KCM runs', allRun, patience);
  await truthWhere(
    environment,
    'a KCM owns every controller',
    (truth) => isOwnedBy(truth, 'kcm'),
    PATIENCE.withinMs,
  );
}

function clearNode({ cluster }: BenchEnvironment, name: string): void {
  const node = cluster.node(name);
  for (const path of [...Object.values(MANIFEST_PATHS), GUIDE_FILE]) removeDiskFile(node, path);
  removeFolder(node, LEADER_MIGRATION_FOLDER);
}

async function areGone(environment: BenchEnvironment): Promise<boolean> {
  const { cluster } = environment;
  for (const name of nodeNames(environment)) {
    for (const manager of MANAGERS) {
      if (cluster.node(name).managerProcesses(manager).length > 0) return false;
      const mirror = `${PODS}/${COMPONENTS[manager]}-${name}`;
      if ((await cluster.api.send('GET', mirror)).status !== 404) return false;
    }
  }
  return true;
}

async function clearCluster({ cluster: { api }, rulesOfKcmRole }: BenchEnvironment): Promise<void> {
  for (const lease of [COMPONENTS.kcm, COMPONENTS.ccm, BUILT_IN_LEADER_NAME])
    await api.send('DELETE', `${LEASES}/${lease}`);
  await removeTracesOfRuns(api);
  for (const { resource, object } of leaseGrant()) {
    const path = resource === 'roles' ? RBAC_ROLES : BINDINGS;
    await api.send('DELETE', `${path}/${object.metadata.name}`);
  }
  await api.mergePatch(`${RBAC_ROLES}/${KCM_ROLE}`, { rules: rulesOfKcmRole });
}

function writeKcm({ cluster }: BenchEnvironment, name: string, manifest: string): void {
  replaceFile(cluster.node(name), MANIFEST_PATHS.kcm, manifest);
}
