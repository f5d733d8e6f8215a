import type { AccessObject, Subject } from '../domain/access-objects.js';
import {
  ccmAccessObjects,
  leaseGrantObjects,
  managerSubjects,
  userOf,
} from '../domain/access-objects.js';
import { COMPONENTS } from '../domain/controllers/names.js';
import type { MigrationPolicy } from '../domain/policy.js';
import type { Manager } from '../domain/vocabulary.js';

/**
 * The identity that a manager really uses: static pods the user of their kubeconfig (a static pod has no
 * ServiceAccount), a DaemonSet its ServiceAccount.
 */
export function managerUser(manager: Manager, policy: MigrationPolicy): string {
  const wanted: Subject['kind'] =
    manager === 'ccm' && policy.ccm.deployAs === 'daemonSet' ? 'ServiceAccount' : 'User';
  const subject = managerSubjects(manager).find(({ kind }) => kind === wanted);
  return subject === undefined ? `system:${COMPONENTS[manager]}` : userOf(subject);
}

/** Objects of one kind of access, as they are to be. */
export function accessObjects(
  access: 'leaseGrant' | 'ccmAccess',
  policy: MigrationPolicy,
  serviceAccountCredentials: boolean,
): readonly AccessObject[] {
  if (access === 'leaseGrant') return leaseGrantObjects(policy.lock);
  const mainLock = { namespace: policy.lock.namespace, name: COMPONENTS.ccm };
  return ccmAccessObjects({ mainLock, serviceAccountCredentials });
}
