import type { AccessReviewSpec } from '../../domain/access-reviews.js';
import { leaseReviews } from '../../domain/access-reviews.js';
import type { LeaseRef, Tristate } from '../../domain/vocabulary.js';
import { failureTypeOf } from '../failures.js';
import type { ApiObject, CallOptions, KubernetesApi } from '../ports.js';

interface AccessReview extends ApiObject {
  readonly spec: AccessReviewSpec;
  readonly status?: { readonly allowed?: boolean };
}

/**
 * Whether an identity may take part in an election on this Lease, checked by SubjectAccessReviews, which change nothing.
 * `unknown` when we may not create them.
 */
export async function mayElectOn(
  api: KubernetesApi,
  user: string,
  lease: LeaseRef,
  options: CallOptions,
): Promise<Tristate> {
  try {
    // One denial is enough, so they are sent one after the other.
    for (const spec of [...leaseReviews(user, lease)].reverse()) {
      if (!(await isAllowed(api, spec, options))) return 'no';
    }
    return 'yes';
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Forbidden' || type === 'NotSupported') return 'unknown';
    throw error;
  }
}

/** The API server's answer to one question. */
export async function isAllowed(
  api: KubernetesApi,
  spec: AccessReviewSpec,
  options: CallOptions,
): Promise<boolean> {
  const answer = await api.create<AccessReview>(
    { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec },
    options,
  );
  return answer.status?.allowed === true;
}
