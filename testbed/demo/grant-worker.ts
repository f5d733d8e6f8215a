import { connectCluster } from '../../activities/adapters/connect.js';
import { type NamedObject, refOf } from '../../activities/execute/object-writes.js';
import type { KubernetesApi } from '../../activities/ports.js';
import { managerAccess, workerRolesOn } from '../../cli/authority/worker-roles.js';
import type { RunSettings } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { WORKER_USER } from '../../domain/access/worker-role.js';

/**
 * What an administrator does before the first run: binds the least role of a policy to the worker's user, and applies the access of
 * the managers where the policy says that it is provided. `kubeconfig` is the administrator's.
 */
export async function grantWorker(
  cluster: InventoryCluster,
  settings: RunSettings,
  kubeconfig: string,
): Promise<void> {
  const connection = await connectCluster({ ...cluster, kubeconfig });
  const objects: readonly NamedObject[] = [
    ...workerRolesOn(cluster, settings, WORKER_USER).flatMap(({ role, binding }) => [
      role,
      binding,
    ]),
    ...(settings.policy.clusterAccess === 'provided' ? managerAccess(settings) : []),
  ];
  try {
    for (const object of objects) await apply(connection.api, object);
  } finally {
    await connection.close();
  }
}

async function apply(api: KubernetesApi, object: NamedObject): Promise<void> {
  const present = await api.get(refOf(object));
  if (present === null) {
    await api.create(object);
    return;
  }
  const { resourceVersion = '' } = present.object.metadata ?? {};
  await api.replace({ ...object, metadata: { ...object.metadata, resourceVersion } });
}
