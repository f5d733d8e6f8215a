import type { AccessObject, Subject } from '../domain/access/access-objects.js';
import {
  ccmAccessNeeds,
  ccmAccessObjects,
  leaseGrantObjects,
  managerSubjects,
  userOf,
} from '../domain/access/access-objects.js';
import { COMPONENTS } from '../domain/managers/controller-names.js';
import { parseArguments, switchFlag } from '../domain/managers/arguments.js';
import { readManagerManifest } from '../domain/manifests/manifest.js';
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

/** The wanted objects of one kind of access. */
export function accessObjects(
  access: 'leaseGrant' | 'ccmAccess',
  policy: MigrationPolicy,
  serviceAccountCredentials: boolean,
): readonly AccessObject[] {
  if (access === 'leaseGrant') return leaseGrantObjects(policy.lock);
  return ccmAccessObjects(ccmAccessNeeds(policy, serviceAccountCredentials));
}

/** The same as far as runs write it: nothing where an administrator provides it. */
export function writtenAccess(
  access: 'leaseGrant' | 'ccmAccess',
  policy: MigrationPolicy,
  serviceAccountCredentials: boolean,
): readonly AccessObject[] {
  if (policy.clusterAccess === 'provided') return [];
  return accessObjects(access, policy, serviceAccountCredentials);
}

/** Whether the CCM of this manifest has a token of its own for each controller (`--use-service-account-credentials`). */
export function usesAccountTokens(ccmManifest: string): boolean {
  const result = readManagerManifest(ccmManifest);
  if (result.kind === 'invalid') return false;
  const flags = parseArguments(result.manifest.arguments);
  return switchFlag(flags, 'use-service-account-credentials', false);
}
