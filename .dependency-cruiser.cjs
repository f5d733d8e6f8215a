/**
 * Who may import whom. The rooms and their directions are in docs/ARCHITECTURE.md;
 * every rule says why it is there. `npm run imports` fails when it saw no modules.
 */
const ROOMS = 'domain|workflows|activities|workers|config|cli|devserver|testbed|test|tools';

/** One room may import only what `allowed` matches, besides itself. */
const room = (name, allowed, comment) => ({
  name: `${name}-imports-only-its-own-kind`,
  severity: 'error',
  comment,
  from: { path: `^${name}/` },
  to: { path: `^(${ROOMS})/`, pathNot: [`^${name}/`, ...allowed] },
});

/** One vendor library has one place that imports it. */
const vendor = (name, library, allowed, comment) => ({
  name: `vendor-${name}`,
  severity: 'error',
  comment,
  from: { path: `^(${ROOMS})/`, pathNot: allowed },
  to: { path: `^node_modules/${library}/` },
});

/**
 * The layers of domain/, lowest first: each folder or file imports only from layers before its own, and no other of its
 * own layer. This list is the only place that says so.
 */
const DOMAIN_LAYERS = [
  ['vocabulary', 'failures', 'digest', 'memoize', 'redaction', 'loop-admission'],
  ['authority', 'observation', 'evidence', 'findings', 'transparency', 'yaml'],
  ['policy', 'comparison'],
  ['managers', 'probes'],
  ['access', 'ownership'],
  ['decision', 'gates'],
  ['manifests', 'model', 'run'],
  ['automation', 'fleet', 'invariants', 'preflight'],
];
const inDomain = (names) => `^domain/(${names.join('|')})(/|\\.ts$)`;

const domainLayers = [
  ...DOMAIN_LAYERS.flatMap((layer, index) =>
    layer.map((name) => ({
      name: 'domain-layers',
      severity: 'error',
      comment: 'Each layer of the domain can be read and tested without those above it.',
      from: { path: inDomain([name]) },
      to: {
        path: '^domain/',
        pathNot: inDomain([name, ...DOMAIN_LAYERS.slice(0, index).flat()]),
      },
    })),
  ),
  {
    name: 'domain-layers-name-everything',
    severity: 'error',
    comment: 'A new folder or file without a layer could be imported by all of them.',
    from: {},
    to: { path: '^domain/', pathNot: inDomain(DOMAIN_LAYERS.flat()) },
  },
];

const directions = [
  room('domain', [], 'The pure core imports nothing of ours, so everything may import it.'),
  room(
    'workflows',
    ['^domain/', '^config/names\\.ts$', '^activities/'],
    'Workflows orchestrate: they need decisions, names and the shapes of activities.',
  ),
  {
    name: 'workflows-see-activity-types-only',
    severity: 'error',
    comment: 'An activity implementation in the bundle would run effects inside the sandbox.',
    from: { path: '^workflows/' },
    to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'the-interpreter-does-not-decide',
    severity: 'error',
    comment:
      'Decisions are made in activities and recorded: rules in the bundle would change under replay unseen (ADR 12).',
    from: { path: '^(workflows|domain/run)/' },
    to: {
      path: '^domain/(decision/(next-step|decide-run|decisive-digest|waivers|steps/|strategies/)|ownership/(cluster-facts|owners|protection)\\.ts)',
      reachable: true,
    },
  },
  room(
    'activities',
    ['^domain/', '^config/'],
    'Effects know the rules and their configuration only.',
  ),
  room(
    'workers',
    ['^domain/', '^config/', '^workflows/', '^activities/'],
    'The composition root joins workflows and activities; it knows no operator command.',
  ),
  {
    name: 'workers-do-not-load-workflow-code',
    severity: 'error',
    comment:
      'Workflow code runs from the bundle; workers may see its message definitions and types.',
    from: { path: '^workers/' },
    to: {
      path: '^workflows/',
      pathNot: '^workflows/messages(\\.ts$|/)',
      dependencyTypesNot: ['type-only'],
    },
  },
  room('config', ['^domain/'], 'Configuration is parsed into the words of the domain.'),
  room(
    'cli',
    ['^domain/', '^config/', '^workflows/messages(\\.ts$|/)', '^activities/', '^devserver/'],
    'The CLI starts worker, simulator, lab and demo as processes and never imports them.',
  ),
  room(
    'devserver',
    ['^config/'],
    'Finds, builds and runs Temporal and our own processes; it knows no command and no cluster.',
  ),
  {
    name: 'the-testbed-is-one-door',
    severity: 'error',
    comment: 'Simulator, lab, benchmarks and demo stand beside the product; it never needs them.',
    from: { path: `^(${ROOMS})/`, pathNot: '^(testbed|test)/' },
    to: { path: '^testbed/' },
  },
  {
    name: 'testbed-base-is-the-floor',
    severity: 'error',
    comment: 'What simulator and lab share knows neither of them, and of us the words alone.',
    from: { path: '^testbed/base/' },
    to: { path: `^(${ROOMS})/`, pathNot: '^(testbed/base|domain)/' },
  },
  {
    name: 'simulator-imports-only-its-own-kind',
    severity: 'error',
    comment: 'The simulator stands for clusters: it shares words with us and nothing else.',
    from: { path: '^testbed/simulator/' },
    to: { path: `^(${ROOMS})/`, pathNot: '^(testbed/(simulator|base)|domain)/' },
  },
  {
    name: 'simulator-sees-domain-types-only',
    severity: 'error',
    comment: 'If it computed with our rules it would confirm our mistakes.',
    from: { path: '^testbed/(simulator|base)/' },
    to: { path: '^domain/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'lab-imports-only-its-own-kind',
    severity: 'error',
    comment:
      'The lab is real parts, started as the dev server starts its own; of the simulator it takes what a version of a manager runs.',
    from: { path: '^testbed/lab/' },
    to: {
      path: `^(${ROOMS})/`,
      pathNot: [
        '^testbed/(lab|base)/',
        '^devserver/',
        '^domain/',
        '^config/',
        '^testbed/simulator/(versions/|managers/(command-line|loop-plan|settings)\\.ts$)',
      ],
    },
  },
  {
    name: 'nothing-imports-the-lab',
    severity: 'error',
    comment: 'It needs root and Linux; tests and benchmarks that need it say so.',
    from: { path: `^(${ROOMS})/`, pathNot: '^(testbed/(lab|bench)|test)/' },
    to: { path: '^testbed/lab/' },
  },
  {
    name: 'nothing-imports-benchmarks',
    severity: 'error',
    comment: 'They are run by people; what the product needs does not live among them.',
    from: { path: `^(${ROOMS})/`, pathNot: '^(testbed/bench|test)/' },
    to: { path: '^testbed/bench/' },
  },
  {
    name: 'drawn-counts-know-no-gate',
    severity: 'error',
    comment: 'Counts that are drawn with the rule in mind would confirm it.',
    from: { path: '^testbed/bench/gates/traces/' },
    to: { path: `^(${ROOMS})/`, pathNot: '^testbed/bench/gates/traces/' },
  },
  {
    name: 'adapters-are-joined-at-the-roots',
    severity: 'error',
    comment: 'Activities work against ports; only composition roots and tests choose the adapter.',
    from: { path: '^activities/', pathNot: '^activities/(adapters/|[^/]*inspection[^/]*\\.ts$)' },
    to: { path: '^activities/adapters/' },
  },
];

const hygiene = [
  {
    name: 'no-cycles',
    severity: 'error',
    comment:
      'A cycle means that two files are one thought, or that a type lives in the wrong place. A verb that loads its command on demand is none.',
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
  },
  {
    name: 'no-unresolvable',
    severity: 'error',
    comment: 'An import that resolves to nothing would otherwise escape all other rules.',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'only-declared-packages',
    severity: 'error',
    comment: 'A package that is there by accident (of a dependency) is gone with its next version.',
    from: { path: `^(${ROOMS})/` },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'no-development-packages-in-the-product',
    severity: 'error',
    comment: 'The image is installed without devDependencies.',
    from: { path: `^(${ROOMS})/`, pathNot: ['^test/', '^tools/'] },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'domain-has-no-builtins',
    severity: 'error',
    comment: 'domain/ runs inside the workflow sandbox.',
    from: { path: '^(domain|workflows)/' },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'domain-vendors',
    severity: 'error',
    comment: 'Three small pure libraries are all the core needs; each has its own rule below.',
    from: { path: '^domain/' },
    to: { path: '^node_modules/', pathNot: '^node_modules/(@noble/hashes|yaml|diff)/' },
  },
];

const vendors = [
  vendor(
    'yaml',
    'yaml',
    ['^domain/yaml/', '^testbed/simulator/documents/', '^test/'],
    'YAML is edited and read in one place; the simulator, which may not use our rules, has its own.',
  ),
  vendor(
    'zod',
    'zod',
    ['^config/', '^activities/adapters/', '^server/', '^test/'],
    'zod belongs to the edges; in a workflow bundle it costs 600 KB of heap for each workflow.',
  ),
  vendor(
    'kubernetes-client',
    '@kubernetes/client-node',
    ['^activities/adapters/', '^test/'],
    'One adapter owns deadlines, retries and credentials; version 2 is then a change in one place.',
  ),
  vendor('undici', 'undici', ['^activities/adapters/', '^test/'], 'Pooled connections, one owner.'),
  vendor(
    'ssh2',
    'ssh2',
    ['^activities/adapters/ssh/(open|ssh)-connection\\.ts$', '^test/'],
    'Who connects decides about keys and algorithms; everything else sees commands and streams.',
  ),
  vendor(
    'pg',
    'pg',
    ['^activities/evidence/postgres-connections\\.ts$', '^test/'],
    'Who connects decides about TLS, limits and durable commits; everything else sees rows.',
  ),
  vendor(
    'luxon',
    'luxon',
    ['^config/time-zones\\.ts$', '^test/'],
    'Time zone data differ between Node builds, so workflows are told instants.',
  ),
  vendor('commander', 'commander', ['^cli/'], 'Only the CLI parses arguments.'),
  vendor(
    'pino',
    'pino',
    ['^workers/', '^test/'],
    'Logs of long-lived processes; the CLI writes to stderr.',
  ),
  vendor(
    'diff',
    'diff',
    ['^domain/yaml/redacted-diff\\.ts$', '^domain/yaml/keep-layout\\.ts$', '^test/'],
    'Diffs for people are made in one place; edits are told from layout in another.',
  ),
  vendor(
    'pkijs',
    '(pkijs|asn1js)',
    ['^cli/transparency/timestamp-token\\.ts$', '^test/'],
    'What makes a timestamp of an authority count is decided in one place.',
  ),
  vendor('hashes', '@noble/hashes', ['^domain/digest\\.ts$'], 'One way to hash: domain/digest.ts.'),
  vendor(
    'temporal-worker',
    '@temporalio/worker',
    ['^workers/', '^testbed/bench/simulated/replay-time\\.ts$', '^test/'],
    'The worker library is 350 MB of native code; only workers need it, and replay, which they do and a benchmark measures.',
  ),
  vendor(
    'temporal-proto',
    '@temporalio/proto',
    ['^config/encrypted-payloads\\.ts$', '^test/'],
    'The wire format of a payload is needed where it is encrypted.',
  ),
  vendor('temporal-workflow', '@temporalio/workflow', ['^workflows/', '^test/'], 'Sandbox only.'),
  vendor(
    'temporal-activity',
    '@temporalio/activity',
    ['^activities/', '^workers/', '^test/'],
    'The activity context exists inside a running activity only; the composition root hands it in.',
  ),
];

module.exports = {
  forbidden: [...directions, ...domainLayers, ...hygiene, ...vendors],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
