import type { CcmAccessNeeds } from './access-objects.js';
import type { AccessReviewSpec } from './access-reviews.js';
import { ccmAccessReviews, review } from './access-reviews.js';

/** One right that the CCM needs, how to review it, and its name in messages when it is missing. */
export interface CcmRight {
  readonly review: AccessReviewSpec;
  /** For people, for example `delete nodes` or `list secrets in kube-system`. */
  readonly words: string;
}

/**
 * What a CCM requests from the API server before it answers on its secured port, and the binding that grants it: reviews of
 * the caller's token and rights (without the first it answers 401, without the second 500), and the CAs of client
 * certificates.
 * Source: k8s.io/apiserver pkg/server/options/{authentication,authorization}.go; kubernetes/kubernetes
 * plugin/pkg/auth/authorizer/rbac/bootstrappolicy/{policy,namespace_policy}.go.
 */
const DELEGATION = [
  {
    asked: { group: 'authentication.k8s.io', resource: 'tokenreviews', verb: 'create' },
    binding: 'ClusterRoleBinding to ClusterRole system:auth-delegator',
  },
  {
    asked: { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verb: 'create' },
    binding: 'ClusterRoleBinding to ClusterRole system:auth-delegator',
  },
  {
    asked: {
      ...{ group: '', resource: 'configmaps', verb: 'get', namespace: 'kube-system' },
      name: 'extension-apiserver-authentication',
    },
    binding: 'RoleBinding in kube-system to Role extension-apiserver-authentication-reader',
  },
] as const;

/** Everything that a CCM running as this user needs, one SubjectAccessReview each. */
export function ccmRights(user: string, needs: CcmAccessNeeds): readonly CcmRight[] {
  return [
    ...ccmAccessReviews(user, needs).map((one) => ({ review: one, words: wordsOf(one) })),
    ...DELEGATION.map(({ asked, binding }) => {
      const spec = review(user, asked);
      return { review: spec, words: `${wordsOf(spec)} (${binding})` };
    }),
  ];
}

function wordsOf({ resourceAttributes: asked }: AccessReviewSpec): string {
  const { verb, resource, subresource, name, namespace } = asked;
  const what = [resource, subresource].filter((part) => part !== undefined).join('/');
  const where = namespace === undefined ? undefined : `in ${namespace}`;
  return [verb, what, name, where].filter((part) => part !== undefined).join(' ');
}
