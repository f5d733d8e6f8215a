import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { AccessObject } from '../../../domain/access/access-objects.js';
import { ccmAccessNeeds, ccmAccessObjects } from '../../../domain/access/access-objects.js';
import { ccmRights } from '../../../domain/access/ccm-rights.js';
import { PROVIDER_ACCESS } from '../../../domain/access/provider-access.js';
import type { CcmRule, MigrationPolicy } from '../../../domain/policy.js';
import { policyOf } from '../../support/cluster-builder.js';

function policyFor(
  cloudProvider: string,
  ccm: Partial<MigrationPolicy['ccm']> = {},
): MigrationPolicy {
  const { source, ccm: usual, ...others } = policyOf();
  return { ...others, source: { ...source, cloudProvider }, ccm: { ...usual, ...ccm } };
}

/** `Role kube-system: get,list,watch secrets` for each rule on one of these resources. */
function granted(policy: MigrationPolicy, resources: readonly string[]): readonly string[] {
  return ccmAccessObjects(ccmAccessNeeds(policy, false)).flatMap(
    ({ kind, metadata: { namespace = '*' }, rules = [] }: AccessObject) =>
      rules
        .filter((rule) => rule.resources.some((one) => resources.includes(one)))
        .map(({ verbs, resources: named, resourceNames = [] }) =>
          [`${kind} ${namespace}:`, verbs.join(), named.join(), ...resourceNames].join(' '),
        ),
  );
}

const BESIDES = ['secrets', 'configmaps', 'endpointslices', 'networks'];
const VSPHERE_30 = 'ClusterRole *: get,list,watch secrets';

describe("additional rights of a provider's CCM", () => {
  it.each<readonly [string, string, ...string[]]>([
    ['aws', '1.30.14'],
    ['openstack', '1.30.14'],
    ['labcloud', '1.30.14'],
    ['vsphere', '1.31.1', VSPHERE_30],
    ['vsphere', 'unreadable', VSPHERE_30],
    ['vsphere', '1.32.0', 'Role kube-system: get,list,watch secrets'],
    [
      'azure',
      '1.30.0',
      'ClusterRole *: get,list,watch endpointslices',
      'Role kube-system: get secrets azure-cloud-provider',
    ],
    [
      'gce',
      '1.30.0',
      'ClusterRole *: get,list,watch gkenetworkparamsets,networks',
      'Role kube-system: get,list,watch configmaps ingress-uid',
      'Role kube-system: create configmaps',
    ],
  ])(
    'the CCM of %s %s gets exactly the additional rights of its provider',
    (provider, version, ...expected) => {
      expect(granted(policyFor(provider, { version }), BESIDES)).toEqual(expected);
    },
  );

  it('additional rights are bound where they apply, to both identities of the CCM', () => {
    const objects = ccmAccessObjects(ccmAccessNeeds(policyFor('azure'), false));
    const [role, binding] = objects.slice(-2);
    expect([role?.kind, binding?.kind]).toEqual(['Role', 'RoleBinding']);
    expect(binding?.metadata.namespace).toBe('kube-system');
    expect(binding?.roleRef?.name).toBe(role?.metadata.name);
    expect(binding?.subjects).toHaveLength(2);
  });

  it('additional rights name their source, repository and version', () => {
    for (const { source, why } of PROVIDER_ACCESS) {
      expect(source).toMatch(/^kubernetes(-sigs)?\/cloud-provider-\w+ v\d+\.\d+\.\d+ /);
      expect(why).not.toBe('');
    }
  });

  it('additional rights are in the docs, row by row', () => {
    const page = readFileSync(new URL('../../../docs/ccm-access.md', import.meta.url), 'utf8');
    const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    const written = rows.flatMap(([, provider, , rights, why, source]) =>
      source?.includes('/cloud-provider-') === true ? [[provider, rights, why, source]] : [],
    );
    const words = ({ verbs, resources, resourceNames, apiGroups, namespace }: CcmRule): string =>
      [
        `${verbs.join(', ')} ${resources.map((one) => `\`${one}\``).join(', ')}`,
        ...resourceNames.map((one) => `\`${one}\``),
        ...apiGroups.flatMap((one) => (one === '' ? [] : [`(${one})`])),
        namespace === null ? 'in all namespaces' : `in ${namespace}`,
      ].join(' ');
    expect(written).toEqual(
      PROVIDER_ACCESS.map(({ provider, rules, why, source }) => [
        ...[provider, rules.map(words).join('; ') || 'none'],
        ...[why, source],
      ]),
    );
  });

  it('additional rights give no right on everything', () => {
    expect(JSON.stringify(PROVIDER_ACCESS.map(({ rules }) => rules))).not.toContain('*');
  });
});

describe('rules of the policy', () => {
  const rule = { apiGroups: [''], resourceNames: [], verbs: ['get'] };
  const policy = policyFor('acme', {
    accessRules: [
      { ...rule, namespace: 'acme', resources: ['secrets'], resourceNames: ['token'] },
      { ...rule, namespace: null, resources: ['configmaps'] },
      { ...rule, namespace: 'acme', resources: ['configmaps'] },
    ],
  });

  it('rules of the policy are granted beside the common ones', () => {
    expect(granted(policy, BESIDES)).toEqual([
      'ClusterRole *: get configmaps',
      'Role acme: get secrets token',
      'Role acme: get configmaps',
    ]);
  });

  it('rules of the policy are reviewed where they apply', () => {
    const words = ccmRights('system:cloud-controller-manager', ccmAccessNeeds(policy, false)).map(
      (right) => right.words,
    );
    expect(words).toEqual(
      expect.arrayContaining([
        'get configmaps',
        'get secrets token in acme',
        'get configmaps in acme',
        'delete nodes',
        'patch services/status',
        'update leases cloud-controller-manager in kube-system',
      ]),
    );
  });
});

describe('the rights that a CCM needs to answer requests for its metrics', () => {
  it('the right to review tokens is checked as well, with the binding that is missing', () => {
    const rights = ccmRights(
      'system:serviceaccount:kube-system:cloud-controller-manager',
      ccmAccessNeeds(policyOf(), false),
    );
    expect(rights.slice(-3).map(({ words }) => words)).toEqual([
      'create tokenreviews (ClusterRoleBinding to ClusterRole system:auth-delegator)',
      'create subjectaccessreviews (ClusterRoleBinding to ClusterRole system:auth-delegator)',
      'get configmaps extension-apiserver-authentication in kube-system (RoleBinding in kube-system to Role extension-apiserver-authentication-reader)',
    ]);
    expect(rights.at(-2)?.review).toMatchObject({
      user: 'system:serviceaccount:kube-system:cloud-controller-manager',
      resourceAttributes: {
        group: 'authorization.k8s.io',
        resource: 'subjectaccessreviews',
        verb: 'create',
      },
    });
  });
});
