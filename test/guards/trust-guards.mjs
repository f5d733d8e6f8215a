/** Guards of the identity of nodes and of downloads: neither is trusted before it is compared. */
const IDENTITY = 'activities/adapters/kubernetes/cluster-identity.ts';
const DIGEST = 'devserver/archive-digest.ts';
const identity = (only) => ({
  tests: ['test/activities/adapters/kubernetes/cluster-identity.test'],
  only,
});
const cliDownload = (only) => ({ tests: ['test/devserver/find-temporal-cli.test'], only });

export const TRUST_GUARDS = [
  {
    name: 'identity: a whole store of authorities identifies no cluster',
    file: IDENTITY,
    from: 'authorities.length === 0 || authorities.length > MOST_AUTHORITIES',
    to: 'authorities.length === 0',
    ...identity('trusts a whole store of authorities'),
  },
  {
    name: 'identity: no authority identifies no cluster',
    file: IDENTITY,
    from: 'authorities.length === 0 || authorities.length > MOST_AUTHORITIES',
    to: 'authorities.length > MOST_AUTHORITIES',
    ...identity('trusts no authority'),
  },
  {
    name: 'identity: a UID is one word',
    file: IDENTITY,
    from: 'if (/^[\\w.-]{1,64}$/.test(uid)) return uid;',
    to: "if (uid !== '') return uid;",
    ...identity('a cluster with UID'),
  },
  {
    name: 'identity: a planned UID is not requested',
    file: IDENTITY,
    from: 'planned === undefined ? askUid(name, api)',
    to: "planned !== '' ? askUid(name, api)",
    ...identity('is the planned UID'),
  },
  {
    name: 'kubeconfig: a text that has changed is parsed again',
    file: 'activities/adapters/credentials/address-of-cluster.ts',
    from: 'known?.digest === digest',
    to: 'known !== undefined',
    tests: ['test/activities/adapters/credentials/address-of-cluster'],
    only: 'is parsed again when its text has changed',
  },
  {
    name: 'kubeconfig: one that names files is not remembered',
    file: 'activities/adapters/credentials/address-of-cluster.ts',
    from: 'named.length === 0',
    to: 'named.length >= 0',
    tests: ['test/activities/adapters/credentials/address-of-cluster'],
    only: 'names is read each time',
  },
  {
    name: 'identity: what the operator names goes before the kubeconfig',
    file: IDENTITY,
    from: 'named ?? authoritiesOf(ca)',
    to: 'authoritiesOf(ca)',
    ...identity('is the authority that the operator names'),
  },
  {
    name: 'identity: a failed request is repeated',
    file: IDENTITY,
    from: '      asked = null;\n',
    to: '',
    ...identity('UID is requested once'),
  },
  {
    name: 'identity: every request over HTTP names the cluster of the node',
    file: 'activities/adapters/connect.ts',
    from: 'query: { ...request.query, cluster, authority }',
    to: 'query: { ...request.query, cluster }',
    tests: ['test/activities/stories/refusals.test'],
    only: 'writes nothing on a node that belongs to another cluster',
  },
  {
    name: 'CCM4030: a node of another cluster ends a step for good',
    file: 'domain/findings/failure-codes.ts',
    from: "ForeignNode: 'CCM4030',",
    to: "ForeignNode: 'CCM4010',",
    tests: ['test/cli/cli-error.test'],
  },
  {
    name: 'CCM4030: a run reports a node of another cluster',
    file: 'domain/findings/failure-codes.ts',
    from: "  ForeignNode: 'CCM4030',\n",
    to: '',
    tests: ['test/domain/run'],
  },
  {
    name: 'download: an archive with another digest is not used',
    file: DIGEST,
    from: 'if (found === expected) return;',
    to: "if (found !== '') return;",
    ...cliDownload('nothing is run from an archive'),
  },
  {
    name: 'download: the digest is compared before anything is unpacked',
    file: 'devserver/download-cli.ts',
    from: '    await requireDigest(packed, expected, archive.url);\n',
    to: '',
    ...cliDownload('nothing is run from an archive'),
  },
  {
    name: 'download: no digest is requested for an unknown platform',
    file: DIGEST,
    from: '  if (digest === undefined) {',
    to: '  if (digest === undefined && arch === expectedDigest.name) {',
    ...cliDownload('the digests of the release'),
  },
  {
    name: 'download: a named digest is one',
    file: DIGEST,
    from: 'if (/^[0-9a-f]{64}$/.test(digest)) return digest;',
    to: "if (digest !== '') return digest;",
    ...cliDownload('the digests of the release'),
  },
];
