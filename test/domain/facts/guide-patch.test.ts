import { expect, it } from '@jest/globals';
import { hasGuidePatch, type RoleRule } from '../../../domain/facts/guide-patch.js';

/** As printed in the guide. */
const GUIDES = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  resourceNames: ['cloud-provider-extraction-migration'],
  verbs: ['create', 'list', 'get', 'update'],
};
/** Kubernetes' own: of older releases, and from 1.31 on. */
const OLD = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] },
  {
    ...{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'update'] },
    resourceNames: ['kube-controller-manager'],
  },
];
const NEW = {
  ...{ apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
  verbs: ['get', 'list', 'watch', 'create', 'update'],
};

it.each<[string, readonly RoleRule[], boolean]>([
  ['the patch of the guide', [GUIDES], true],
  ['the patch beside rules that came back', [...OLD, GUIDES], true],
  ['the patch for the lock of the policy', [{ ...GUIDES, resourceNames: ['ours'] }], true],
  ['another Lease', [{ ...GUIDES, resourceNames: ['kube-controller-manager'] }], false],
  ['a grant that works', [{ ...GUIDES, verbs: ['get', 'update'] }], false],
  ['another resource', [{ ...GUIDES, resources: ['configmaps'] }], false],
  ['another group', [{ ...GUIDES, apiGroups: [''] }], false],
  ['what Kubernetes made', OLD, false],
  ['what Kubernetes makes now', [NEW], false],
  ['a rule of nothing', [{}], false],
  ['no rules', [], false],
])('%s', (_case, rules, expected) => expect(hasGuidePatch(rules, 'ours')).toBe(expected));
