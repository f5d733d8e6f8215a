import type { AccessDecision, Authorize } from './authorizer.js';

/** The kinds whose changes can change a decision. */
export const ACCESS_RESOURCES = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'];

/** Above what actors ever ask; external clients can ask about any number of names. */
const LIMIT = 2000;

/** Caches decisions until `forget`: electors repeat the same question every two seconds, in thousands of clusters. */
export function rememberDecisions(authorize: Authorize): {
  readonly authorize: Authorize;
  readonly forget: () => void;
} {
  const known = new Map<string, AccessDecision>();
  return {
    forget: () => {
      known.clear();
    },
    authorize: (question) => {
      const { user, groups, verb, group, resource, subresource, namespace, name } = question;
      const parts = [user, groups.join(','), verb, group, resource, subresource, namespace, name];
      const key = parts.join('\n');
      const before = known.get(key);
      if (before !== undefined) return before;
      const decision = authorize(question);
      if (known.size >= LIMIT) known.clear();
      known.set(key, decision);
      return decision;
    },
  };
}
