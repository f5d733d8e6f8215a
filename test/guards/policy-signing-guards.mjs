/** Guards of signed access policies: this very text, by enough people, each once, with keys that still sign. */
const DOMAIN = 'domain/authority/policy-signers.ts';
const SIGNED_BY = 'activities/authority/signed-policy.ts';
const WORKER = 'workers/access-file.ts';
const INVENTORY = 'workers/followed-inventory.ts';
const SIGN = 'cli/commands/access-sign.ts';

const judged = (only) => ({ tests: ['test/domain/authority/policy-signers.test'], only });
const proven = (only) => ({ tests: ['test/activities/authority/signed-policy.test'], only });
const taken = (only) => ({ tests: ['test/workers/access-file.test'], only });
const inventory = (only) => ({ tests: ['test/workers/followed-inventory.test'], only });
const signs = (only) => ({ tests: ['test/cli/authority/access-sign.test'], only });

export const POLICY_SIGNING_GUARDS = [
  {
    name: 'trusted file: half of one does not count',
    file: 'workers/trusted-file.ts',
    from: 'if (next.stamp === last.stamp) {',
    to: 'if (next.stamp !== undefined) {',
    ...taken('does not count by half'),
  },
  {
    name: 'inventory: what has changed is read again',
    file: INVENTORY,
    from: 'if (stamp === known.stamp) return known.clusters;',
    to: 'if (stamp !== known.clusters) return known.clusters;',
    ...inventory('is read again when it has changed'),
  },
  {
    name: 'inventory: half of one does not count',
    file: INVENTORY,
    from: '      await rest();\n',
    to: '',
    ...inventory('does not count by half'),
  },
  {
    name: 'inventory: others may not write it',
    file: INVENTORY,
    from: 'if (onlyOwn) refuseOthers(file, found);',
    to: '',
    ...inventory('is refused at the start and later'),
  },
  {
    name: 'inventory: others may not add to its folder',
    file: INVENTORY,
    from: 'if (onlyOwn) await refuseOpenFolder(path, found);',
    to: '',
    ...inventory('is refused as a folder'),
  },
  {
    name: 'inventory: others may not write what it names',
    file: INVENTORY,
    from: 'if (onlyOwn) await refuseNamedFiles(found);',
    to: '',
    ...inventory('is refused as the kubeconfig'),
  },
  {
    name: 'signed policy: as many people as it takes',
    file: DOMAIN,
    from: 'if (signed.length >= quorum)',
    to: 'if (signed.length > 0)',
    ...judged('is refused when signed by'),
  },
  {
    name: 'signed policy: one person counts once',
    file: DOMAIN,
    from: 'const signed = signers.filter(({ name }) => signedBy.includes(name));',
    to: 'const signed = signedBy.map((name) => ({ name }));',
    ...judged('is refused when signed by'),
  },
  {
    name: 'signed policy: not an old one',
    file: DOMAIN,
    from: 'if (version < oldestVersion)',
    to: 'if (version < 0)',
    ...judged('is older than its signers allow'),
  },
  {
    name: 'signed policy: a revoked key signs no more',
    file: DOMAIN,
    from: 'each.keyId === keyId && !each.revoked',
    to: 'each.keyId === keyId',
    ...proven('is not told by a key that was revoked'),
  },
  {
    name: 'signed policy: each signature is checked',
    file: SIGNED_BY,
    from: 'return signatureFault(found.key, message, bytes) === null ? [found.name] : [];',
    to: 'return signatureFault(found.key, message, bytes) === null ? [found.name] : [found.name];',
    ...proven('is not told by a signature'),
  },
  {
    name: 'signed policy: no other kind of text passes for a policy',
    file: SIGNED_BY,
    from: 'return preAuthenticated(POLICY_TYPE, file);',
    to: 'return file;',
    ...proven('of the bare bytes'),
  },
  {
    name: 'signed policy: a worker asks',
    file: WORKER,
    from: "if (judged.kind === 'refused') throw",
    to: "if (judged.kind !== 'refused' && judged.kind !== 'taken') throw",
    ...taken('allows nothing once'),
  },
  {
    name: 'signed policy: a worker asks again when any of the files has changed',
    file: WORKER,
    from: 'read.every((each, index) => each === taken[index])',
    to: 'taken.length > 0 && read[0] === taken[0]',
    ...taken('allows nothing once'),
  },
  {
    name: 'signed policy: signatures of an earlier text are dropped',
    file: SIGN,
    from: 'policy === file.digest && keyid !== signature.keyid',
    to: 'keyid !== signature.keyid',
    ...signs('drops the signatures of an earlier text'),
  },
  {
    name: 'signed policy: a quorum that no one could reach is refused',
    file: 'config/access/policy-signers-file.ts',
    from: '...(able < quorum',
    to: '...(able < 0',
    tests: ['test/config/access/policy-signers.test'],
    only: 'too few of them',
  },
  {
    name: 'signed policy: everyone is no policy that could be signed',
    file: 'config/environment.ts',
    from: 'if (accessPolicy === null && policySigners !== null)',
    to: 'if (accessPolicy === null && policySigners === null)',
    tests: ['test/config/environment.test'],
    only: 'CCM_MIGRATE_POLICY_SIGNERS',
  },
];
