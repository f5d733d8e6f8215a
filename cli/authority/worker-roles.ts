import { accessObjects, usesAccountTokens } from '../../activities/ccm-access.js';
import type { RunSettings } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import type { AccessObject } from '../../domain/access/access-objects.js';
import { type WorkerRole, workerRoles } from '../../domain/access/worker-role.js';
import { workerRights } from '../../domain/access/worker-rights.js';

/** The least roles of a worker's user for runs of this cluster, and for `check` and `plan`. */
export function workerRolesOn(
  { nodeAccess, machinesApi, cloudApi }: InventoryCluster,
  settings: RunSettings,
  user: string,
): readonly WorkerRole[] {
  const rights = workerRights({
    policy: settings.policy,
    access: managerAccess(settings),
    beside: {
      nodeAccess: nodeAccess.kind === 'http',
      machines: machinesApi !== null,
      balancers: cloudApi !== undefined,
      ssh: nodeAccess.kind === 'ssh',
    },
  });
  return workerRoles(rights, user);
}

/** The access of KCM and CCM under this policy, complete. */
export function managerAccess({
  policy,
  materials,
}: Pick<RunSettings, 'policy' | 'materials'>): readonly AccessObject[] {
  return [
    ...accessObjects('leaseGrant', policy, false),
    ...accessObjects('ccmAccess', policy, usesAccountTokens(materials.ccmManifest)),
  ];
}
