import { forbidden } from '../rbac/judged-client.js';
import { type ApiRequester } from '../../base/auth/requester.js';
import type { AccessQuestion } from '../model.js';

/**
 * The 500 with which a manager answers a request for its metrics while it may not create SubjectAccessReviews, with
 * the API server's message; null when it may. ClusterRole `system:auth-delegator` grants that right. A client
 * certificate needs no TokenReview, so only the access to the path is reviewed.
 * Source: k8s.io/apiserver pkg/endpoints/filters/authorization.go, handlers/responsewriters/errors.go InternalError.
 */
export function metricsRefusal(
  user: ApiRequester,
  authorize: (question: AccessQuestion) => { readonly allowed: boolean },
): string | null {
  const question: AccessQuestion = {
    ...user,
    ...{ verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
  };
  if (authorize(question).allowed) return null;
  return `Internal Server Error: "/metrics": ${forbidden(question).message}`;
}
