import { ccmAccessNeeds } from '../../domain/access-objects.js';
import { ccmRights } from '../../domain/ccm-rights.js';
import type { ClusterObservation } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import { managerUser, usesAccountTokens } from '../ccm-access.js';
import { failureTypeOf } from '../failures.js';
import type { CallOptions, KubernetesApi } from '../ports.js';
import { isAllowed } from './access-reviews.js';

/** What the CCM must be able to do: the rights that its policy and its flags make it need. */
export interface CcmRightsQuestion {
  readonly policy: MigrationPolicy;
  readonly serviceAccountCredentials: boolean;
}

/**
 * Descriptions of the rights that the CCM's identity lacks, checked by SubjectAccessReviews, which change nothing. Null when
 * we may not create them.
 */
export async function readCcmDenied(
  api: KubernetesApi,
  { policy, serviceAccountCredentials }: CcmRightsQuestion,
  options: CallOptions,
): Promise<readonly string[] | null> {
  const needs = ccmAccessNeeds(policy, serviceAccountCredentials);
  const rights = ccmRights(managerUser('ccm', policy), needs);
  try {
    const allowed = await Promise.all(rights.map(({ review }) => isAllowed(api, review, options)));
    return rights.flatMap(({ words }, index) => (allowed[index] === true ? [] : [words]));
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Forbidden' || type === 'NotSupported') return null;
    throw error;
  }
}

/** The same, once our grant exists: before it the CCM lacks everything, and the run itself grants it. */
export async function deniedToGranted(
  api: KubernetesApi,
  { policy, ccmManifest = '', observation }: GrantedRights,
  options: CallOptions,
): Promise<readonly string[] | null> {
  if (observation.access.ccmAccess !== 'present') return null;
  const serviceAccountCredentials = usesAccountTokens(ccmManifest);
  return readCcmDenied(api, { policy, serviceAccountCredentials }, options);
}

export interface GrantedRights {
  readonly policy: MigrationPolicy;
  readonly ccmManifest?: string;
  readonly observation: Pick<ClusterObservation, 'access'>;
}
