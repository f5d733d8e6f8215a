import { forbidden, type Requester } from '../rbac/judged-client.js';
import type { AccessQuestion } from '../model.js';

/**
 * What a manager answers to whoever asks for its metrics while it may not itself ask the API server about them: 500, and the
 * API server's words. Null when it may. The right is that of ClusterRole `system:auth-delegator`; whoever shows a certificate is
 * known by it already, so only their right to the path is asked about.
 * Source: k8s.io/apiserver pkg/endpoints/filters/authorization.go, handlers/responsewriters/errors.go InternalError.
 */
export function metricsRefusal(
  user: Requester,
  authorize: (question: AccessQuestion) => { readonly allowed: boolean },
): string | null {
  const question: AccessQuestion = {
    ...user,
    ...{ verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
  };
  if (authorize(question).allowed) return null;
  return `Internal Server Error: "/metrics": ${forbidden(question).message}`;
}
