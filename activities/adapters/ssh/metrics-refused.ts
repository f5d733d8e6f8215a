import { failure } from '../../failures.js';

const DELEGATOR = 'a ClusterRoleBinding of its identity to ClusterRole system:auth-delegator';

/**
 * Which grant is missing when a manager does not answer 200: ours for 403; its own where it may not review us at the API
 * server, which it answers with 500 (rights, SubjectAccessReview) or 401 (tokens, TokenReview).
 * Source: k8s.io/apiserver pkg/endpoints/filters/{authentication,authorization}.go.
 */
export function metricsRefused(what: string, status: number, said: string): Error {
  const details = { status };
  if (status === 403) {
    return failure(
      'Forbidden',
      `${what}: the manager refuses the kubeconfig's user: grant get on nonResourceURLs /metrics`,
      { details },
    );
  }
  if (status === 401) {
    return failure(
      'Unauthorized',
      `${what}: answered 401. The manager does not know the kubeconfig's user, or lacks the right to ask the ` +
        `API server (create tokenreviews): ${DELEGATOR}`,
      { details },
    );
  }
  if (status === 500 && said.includes('subjectaccessreviews')) {
    return failure(
      'Forbidden',
      `${what}: answered 500. The manager itself may not ask the API server who may read them ` +
        `(create subjectaccessreviews): it lacks ${DELEGATOR}`,
      { details },
    );
  }
  return failure('Unavailable', `${what}: answered ${String(status)}`, { details });
}
