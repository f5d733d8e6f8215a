/** Guards of the rights of a CCM: one that lacks a right looks healthy, so each right is checked. */
const ACCESS = 'domain/access/provider-access.ts';
const RIGHTS = 'domain/access/ccm-rights.ts';
const REFUSED = 'activities/adapters/ssh/manager-metrics.ts';
const CLUSTER_CHECKS = 'domain/preflight/cluster-checks.ts';
const providers = (only) => ({
  tests: ['test/domain/access/provider-access.test'],
  only,
  composed: true,
});
const stories = (only) => ({ tests: ['test/activities/stories/ccm-rights.test'], only });
const refused = { tests: ['test/activities/adapters/ssh/metrics-refused.test'] };
const checks = (only) => ({ tests: ['test/domain/preflight/cluster-checks.test'], only });

export const ACCESS_GUARDS = [
  {
    name: 'access explain: a key that was revoked signs nothing',
    file: 'domain/authority/explain-access.ts',
    from: 'isRevoked: by.keys.every(({ revoked }) => revoked)',
    to: 'isRevoked: false',
    tests: ['test/domain/authority/explain-access.test'],
    only: 'nothing but brakes once each of its keys is revoked',
  },
  {
    name: 'access explain: an operator starts runs toward KCM',
    file: 'domain/authority/explain-access.ts',
    from: "[asked, { verb, target: 'kcm' }]",
    to: '[asked, { ...asked }]',
    tests: ['test/domain/authority/explain-access.test'],
    only: 'an operator starts runs toward KCM',
  },
  {
    name: 'rights: those of this provider, and of no other',
    file: ACCESS,
    from: 'row.provider === provider && ',
    to: '',
    ...providers('aws 1.30.14'),
  },
  {
    name: 'rights: a CCM of a newer version gets the narrower ones only',
    file: ACCESS,
    from: ' && minor < (row.below ?? Infinity)',
    to: '',
    ...providers('vsphere 1.32.0'),
  },
  {
    name: 'rights: a CCM of an older version gets what it needs',
    file: ACCESS,
    from: 'minor >= (row.from ?? 0)',
    to: 'minor >= 0',
    ...providers('vsphere 1.31.1'),
  },
  {
    name: 'rights: a version that cannot be read counts as the oldest',
    file: ACCESS,
    from: 'minorOf(ccmVersion) ?? 0',
    to: 'minorOf(ccmVersion) ?? 99',
    ...providers('vsphere unreadable'),
  },
  {
    name: 'rights: a Secret by its name only',
    file: ACCESS,
    from: "{ namespace: SYSTEM, resourceNames: ['azure-cloud-provider'] }",
    to: '{ namespace: SYSTEM }',
    ...providers('azure'),
  },
  {
    name: 'rights: in one namespace only',
    file: ACCESS,
    from: "[core('secrets', READ, { namespace: SYSTEM })]",
    to: "[core('secrets', READ)]",
    ...providers('vsphere 1.32.0'),
  },
  {
    name: 'rights: those that a CCM needs to serve its metrics are checked',
    file: RIGHTS,
    from: '...DELEGATION.map(',
    to: '...DELEGATION.slice(3).map(',
    ...stories('are proven before it starts'),
  },
  {
    name: 'rights: a missing one is reported with the binding that grants it',
    file: RIGHTS,
    from: 'words: `${wordsOf(spec)} (${binding})`',
    to: 'words: wordsOf(spec)',
    ...providers('with the binding that is missing'),
  },
  {
    name: 'rights: proven before any CCM starts',
    file: 'activities/execute/set-access.ts',
    from: '  if (isCcm) await proveRights(session, ownTokens);\n',
    to: '',
    ...stories('are proven before it starts'),
  },
  {
    name: 'rights: a refused one is no proof',
    file: 'activities/execute/set-access.ts',
    from: 'last.denied === null || last.denied.length === 0 ? true : null',
    to: 'last.denied === null || last.denied.length >= 0 ? true : null',
    ...stories('are proven before it starts'),
  },
  {
    name: 'rights: checked again by the worker before a run that targets CCM',
    file: 'activities/check-start.ts',
    from: 'const extra = { ...materials, ...(ccmDenied === null ? {} : { ccmDenied }) };',
    to: 'const extra = { ...materials, ...(ccmDenied === null ? {} : {}) };',
    ...stories('the worker checks the rights'),
  },
  {
    name: 'rights: missing ones do not keep a rollback from starting',
    file: 'activities/check-start.ts',
    from: "return decide.target === 'kcm'\n",
    to: "return decide.target === 'kcm' && decide.revision < 0\n",
    ...stories('the worker checks the rights'),
  },
  {
    name: 'rights: the plan of a rollback in the CLI does not check them either',
    file: 'cli/plan/inspect-cluster.ts',
    from: "ccmDenied === null || target === 'kcm' ? {}",
    to: 'ccmDenied === null ? {}',
    tests: ['test/cli/plan/preflight-findings.test'],
    only: 'a rollback plan',
    composed: true,
  },
  {
    name: 'rights: not checked before anything was granted',
    file: 'activities/observe/read-access.ts',
    from: "  if (observation.access.ccmAccess !== 'present') return null;\n",
    to: '',
    ...stories('are not checked before anything was granted'),
  },
  {
    name: 'CCM1402: missing rights are an error',
    file: CLUSTER_CHECKS,
    from: 'ccmDenied.length === 0',
    to: 'ccmDenied.length >= 0',
    ...checks('missing rights'),
  },
  {
    name: 'CCM1402: rights that were not checked have not passed',
    file: CLUSTER_CHECKS,
    from: '    isSeen: ({ extra }) => extra.ccmDenied !== undefined,\n',
    to: '',
    ...checks('passes none that was not observed'),
  },
  {
    name: 'metrics: 401 names the missing binding for token reviews',
    file: REFUSED,
    from: 'if (status === 401) {',
    to: 'if (status === 4010) {',
    ...refused,
  },
  {
    name: 'metrics: 500 names the missing binding for access reviews',
    file: REFUSED,
    from: "if (status === 500 && said.includes('subjectaccessreviews')) {",
    to: "if (status === 5000 && said.includes('subjectaccessreviews')) {",
    ...refused,
  },
  {
    name: 'metrics: any other 500 is no missing binding',
    file: REFUSED,
    from: "status === 500 && said.includes('subjectaccessreviews')",
    to: 'status === 500',
    ...refused,
  },
];
