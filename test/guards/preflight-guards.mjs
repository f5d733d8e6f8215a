/** Guards of the manifest of a CCM, and of what a preflight reads besides the observation. */
const REFERENCES = 'domain/manifests/api-references.ts';
const OWN = 'activities/execute/set-access.ts';
const CLUSTER_CHECKS = 'domain/preflight/cluster-checks.ts';
const BESIDE = 'activities/observe/read-beside.ts';
const beside = (only) => ({ tests: ['test/activities/stories/beside.test'], only });
const SOURCES = 'activities/gates/gate-sources.ts';
const sources = (only) => ({ tests: ['test/activities/gates/gate-sources.test'], only });
const checks = (only) => ({ tests: ['test/domain/preflight/cluster-checks.test'], only });
const references = { tests: ['test/domain/manifests/api-references.test'] };

export const PREFLIGHT_GUARDS = [
  {
    name: 'selection: a DaemonSet that selects our pods',
    file: OWN,
    from: 'selectEachOther(ours, selectionOf(one))',
    to: 'selectEachOther(ours, { selector: {}, labels: {} })',
    tests: ['test/activities/stories/daemon-set.test'],
    only: 'is noticed before ours is created',
  },
  {
    name: 'selection: either direction is enough',
    file: 'domain/access/pod-selectors.ts',
    from: 'selects(one.selector, other.labels) || selects(other.selector, one.labels)',
    to: 'selects(one.selector, other.labels) && selects(other.selector, one.labels)',
    tests: ['test/domain/access/pod-selectors.test'],
  },
  {
    name: 'selection: checked before ours is created',
    file: 'activities/execute/set-access.ts',
    from: '  if (workload !== null) await requireOwnSelection(session, workload.manifest);\n',
    to: '',
    tests: ['test/activities/stories/daemon-set.test'],
    only: 'is noticed before ours is created',
  },
  {
    name: 'CCM5014: a static pod that refers to objects of the API is no policy',
    file: 'config/rules/ccm-manifest.ts',
    from: "(wanted === 'Pod' ? staticPodComplaint(text) : null) ??",
    to: '',
    tests: ['test/config/problems.test'],
    only: 'a static pod that refers to objects',
  },
  {
    name: 'CCM5014: a secret is noticed however it is written',
    file: 'config/rules/ccm-manifest.ts',
    from: 'credentialComplaint(document.value, text)',
    to: 'credentialComplaint(null, text)',
    tests: ['test/config/problems.test'],
    only: 'a manifest with a secret in its environment, written as',
  },
  {
    name: 'CCM1403: a static pod that refers to objects of the API',
    file: CLUSTER_CHECKS,
    from: "listed('a static pod that refers to', refers)",
    to: 'null',
    ...checks('a static pod that needs the API server'),
  },
  {
    name: 'CCM1403: a DaemonSet may refer to objects of the API',
    file: CLUSTER_CHECKS,
    from: "result.manifest.kind === 'Pod' ? apiReferences(ccmManifest) : []",
    to: 'apiReferences(ccmManifest)',
    ...checks('a workload that can start'),
  },
  {
    name: 'references: in volumes and environments, however deep',
    file: REFERENCES,
    from: 'if (kind === undefined) return referencesIn(inner);',
    to: 'if (kind === undefined) return [];',
    ...references,
  },
  {
    name: 'references: an empty field refers to nothing',
    file: REFERENCES,
    from: "if (value === null || value === '') return false;",
    to: '',
    ...references,
  },
  {
    name: 'CCM1305: nothing is reported for vSphere, whose files always differ',
    file: 'domain/preflight/agreement.ts',
    from: '      if (hasOtherConfiguration(kcm.cloudProvider)) return NO_FINDINGS;\n',
    to: '',
    tests: ['test/domain/preflight/agreement.test'],
    only: 'which vSphere always has',
  },
  {
    name: 'CCM1103: an API server that could not be inspected has not passed',
    file: 'domain/preflight/version-checks.ts',
    from: 'nodes.every(({ name }) => Object.hasOwn(apiServerArguments, name))',
    to: 'nodes.some(({ name }) => Object.hasOwn(apiServerArguments, name))',
    ...checks('passes none that was not observed'),
  },
  {
    name: 'CCM1103: a manifest that cannot be read shows no flags',
    file: BESIDE,
    from: "result.kind === 'invalid' ? [] : [[node.name, result.manifest.arguments]]",
    to: "[[node.name, result.kind === 'invalid' ? [] : result.manifest.arguments]]",
    ...beside('reports no flags of an API server that'),
  },
  {
    name: 'CCM1208: an unread kubeconfig is no balancer',
    file: 'activities/observe/api-endpoint.ts',
    from: 'seen.every(({ hosts }) => !hosts.includes(null))',
    to: 'seen.every(({ hosts }) => hosts.length > 0)',
    tests: ['test/activities/observe/api-endpoint.test'],
  },
  {
    name: 'CCM1208: loopback leads to no other node',
    file: 'activities/observe/api-endpoint.ts',
    from: "if (host === null || isOwnServer(host, node) === 'yes') continue;",
    to: 'if (host === null) continue;',
    tests: ['test/activities/observe/api-endpoint.test'],
  },
  {
    name: 'CCM1405: a Role that may not be read does not count as unmodified',
    file: BESIDE,
    from: "if (failureTypeOf(error) === 'Forbidden') return null;",
    to: "if (failureTypeOf(error) === 'Forbidden') return [];",
    ...beside('leaves out a Role that'),
  },
  {
    name: 'CCM1406: a page that cannot be read',
    file: SOURCES,
    from: "scrape.kind === 'measured'",
    to: "scrape.kind === 'measured' || true",
    ...sources('names each page, the objects'),
  },
  {
    name: 'CCM1406: objects that cannot be listed',
    file: SOURCES,
    from: "if (reading.kind === 'measured') return [];",
    to: 'return [];',
    ...sources('names each page, the objects'),
  },
  {
    name: 'CCM1406: a preview read no page',
    file: CLUSTER_CHECKS,
    from: 'gatesUnread !== undefined && notChecked.length === 0',
    to: 'gatesUnread !== undefined',
    ...checks('preflight reports a result for each check'),
  },
];
