import { CLUSTER, FILES, type Verb } from './verb.js';

const SIGNERS = {
  flags: '--signers <file>',
  about: 'PolicySigners: say who has signed it, and whether that is enough',
};

/** Verbs about who may do what. */
export const ACCESS_VERBS: readonly Verb[] = [
  {
    name: 'access init',
    about:
      'Makes a signing key and a first AccessPolicy that trusts it, or one that trusts a key of yours; overwrites nothing.',
    examples: [
      'ccm-migrate access init',
      'ccm-migrate access init access/ --actor ana@example.com',
      'ccm-migrate access init access/ --key ~/.ssh/id_ed25519.pub',
    ],
    arguments: [
      {
        syntax: '[folder]',
        about: 'folder for signing.key, worker.key and access-policy.yaml (default: here)',
      },
    ],
    flags: [
      { flags: '--actor <name>', about: 'whose key it is (default: user@host of this machine)' },
      {
        flags: '--key <file>',
        about: 'trust this key and make none: the .pub file of a key that an ssh-agent holds',
      },
    ],
    exitStatuses: ['reached'],
    load: async () => (await import('../commands/access.js')).accessInit,
  },
  {
    name: 'access key',
    about: 'Prints the public half of a key as an AccessPolicy names it.',
    examples: [
      'ccm-migrate access key ~/.ssh/id_ed25519.pub',
      'ccm-migrate access key access/signing.key',
    ],
    arguments: [
      { syntax: '<key>', about: '.pub file of an Ed25519 key of ssh, or a signing key of ours' },
    ],
    flags: [],
    exitStatuses: ['reached'],
    load: async () => (await import('../commands/access.js')).accessKey,
  },
  {
    name: 'access issuer',
    about:
      'Prints the keys of an issuer of ID tokens, and a principal that its tokens sign for, as an AccessPolicy names them. Fetches nothing.',
    examples: [
      'ccm-migrate access issuer jwks.json --issuer https://token.actions.githubusercontent.com --subject repo:example/clusters:environment:production --principal ci',
    ],
    arguments: [{ syntax: '<jwks>', about: 'file with its JWKS, as its jwks_uri serves it' }],
    flags: [
      { flags: '--issuer <url>', about: 'exactly what `iss` of its tokens says' },
      { flags: '--subject <sub>', about: 'exactly what `sub` of its tokens says' },
      { flags: '--principal <name>', about: 'whom tokens with this subject sign for' },
      { flags: '--kid <kid...>', about: 'only these keys (default: all of the file)' },
    ],
    exitStatuses: ['reached', 'configInvalid'],
    load: async () => (await import('../commands/access-issuer.js')).accessIssuer,
  },
  {
    name: 'access payload-key',
    about:
      'Adds a key to the file that workers and commands encrypt histories with (AES-256-GCM). It only decrypts until --use puts it first.',
    examples: [
      'ccm-migrate access payload-key payload.keys',
      'ccm-migrate access payload-key payload.keys --use k-2026-11-27',
    ],
    arguments: [{ syntax: '<file>', about: 'CCM_MIGRATE_PAYLOAD_KEYS; made when it is missing' }],
    flags: [
      { flags: '--id <id>', about: 'name of the new key (default: by its day)' },
      { flags: '--use <id>', about: 'adds none: this key encrypts from now on' },
    ],
    exitStatuses: ['reached'],
    load: async () => (await import('../commands/payload-key.js')).payloadKey,
  },
  {
    name: 'access sign',
    about:
      'Signs an AccessPolicy for workers that take it only from several people (PolicySigners); adds to the signatures beside it.',
    examples: [
      'ccm-migrate access sign access-policy.yaml --key ~/.ssh/id_ed25519.pub',
      'ccm-migrate access sign access-policy.yaml --signers policy-signers.yaml',
    ],
    arguments: [{ syntax: '<policy>', about: 'file with the AccessPolicy' }],
    flags: [
      {
        flags: '--key <file>',
        about: 'Ed25519 key, or .pub file of one in an ssh-agent (or CCM_MIGRATE_KEY)',
      },
      SIGNERS,
    ],
    exitStatuses: ['reached', 'configInvalid'],
    load: async () => (await import('../commands/access-sign.js')).accessSign,
  },
  {
    name: 'access check',
    about: 'Checks an AccessPolicy as workers do.',
    examples: [
      'ccm-migrate access check access-policy.yaml',
      'ccm-migrate access check access-policy.yaml --signers policy-signers.yaml',
    ],
    arguments: [{ syntax: '<policy>', about: 'file with the AccessPolicy' }],
    flags: [SIGNERS],
    exitStatuses: ['reached', 'configInvalid'],
    load: async () => (await import('../commands/access.js')).accessCheck,
  },
  {
    name: 'access explain',
    about: 'Says who may do what on a cluster or a fleet, by which role, and why not.',
    examples: [
      'ccm-migrate access explain access-policy.yaml --cluster prod-1 -f fleet/',
      'ccm-migrate access explain access-policy.yaml --fleet prod-eu --principal ana@example.com',
    ],
    arguments: [{ syntax: '<policy>', about: 'file with the AccessPolicy' }],
    flags: [
      { flags: '--cluster <name>', about: 'on this cluster' },
      { flags: '--fleet <name>', about: 'on this fleet, or as a member of it' },
      { flags: '--principal <name>', about: 'only this one' },
      { flags: '-f, --file <path...>', about: 'files or folders with the inventory, for labels' },
    ],
    exitStatuses: ['reached', 'configInvalid'],
    load: async () => (await import('../commands/access.js')).accessExplain,
  },
  {
    name: 'access role',
    about:
      "Prints the least ClusterRole and Roles of a worker's user on a cluster, for kubectl apply. Reads files only.",
    examples: [
      'ccm-migrate access role -f fleet/ | kubectl apply -f -',
      'ccm-migrate access role -f fleet/ --cluster prod-1 --user migrations@example.com',
    ],
    arguments: [],
    flags: [
      FILES,
      CLUSTER,
      {
        flags: '--user <name>',
        about: "the user of the workers' kubeconfig (default: ccm-migrate)",
      },
    ],
    exitStatuses: ['reached', 'configInvalid'],
    load: async () => (await import('../commands/cluster-access.js')).accessRole,
  },
  {
    name: 'access grants',
    about:
      'Prints the access of KCM and CCM that `clusterAccess: provided` expects on a cluster, for kubectl apply. Reads files only.',
    examples: ['ccm-migrate access grants -f fleet/ --cluster prod-1 | kubectl apply -f -'],
    arguments: [],
    flags: [FILES, CLUSTER],
    exitStatuses: ['reached', 'configInvalid'],
    load: async () => (await import('../commands/cluster-access.js')).accessGrants,
  },
];
