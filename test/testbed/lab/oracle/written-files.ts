import fc from 'fast-check';

/**
 * Leader Migration files as people write them: correct ones, the guide's, and every slip that an editor permits. Names and components are
 * mostly good, so that enough of the files are accepted.
 */
const API_VERSIONS = [
  ...['v1', 'v1', 'v1', 'v1', 'v1', 'v1', 'v1', 'v1', 'v1beta1', 'v1beta1', 'v1alpha1'].map(
    (version) => `apiVersion: controllermanager.config.k8s.io/${version}`,
  ),
  'apiVersion: "controllermanager.config.k8s.io/v1"',
  'apiVersion: controllermanager.config.k8s.io/v2',
  'apiVersion: kubescheduler.config.k8s.io/v1',
  'apiVersion: v1',
  'apiVersion:',
  '',
];

const KINDS = [
  ...new Array<string>(24).fill('kind: LeaderMigrationConfiguration'),
  'kind: leadermigrationconfiguration',
  'kind: Role',
  'kind:',
  '',
];

/** Plain scalars that one YAML reader takes for text and another for something else. */
const ODD_WORDS = [
  ...[
    'y',
    'Y',
    'yes',
    'Yes',
    'YES',
    'n',
    'N',
    'no',
    'No',
    'NO',
    'on',
    'On',
    'ON',
    'off',
    'Off',
    'OFF',
  ],
  ...['true', 'True', 'TRUE', 'tRue', 'false', 'False', 'null', 'Null', 'NULL', 'nULL', '~', 'yES'],
  ...[
    '7',
    '-7',
    '+7',
    '1_000',
    '0b11',
    '0o17',
    '017',
    '0x1f',
    '0x1_f',
    '1.5',
    '1e3',
    '1e',
    '.5',
    '5.',
  ],
  ...['.inf', '-.Inf', '.nan', '.NaN', '.', '1:30', '1:30.5', '2001-01-01', '2001-01-01T10:00:00Z'],
  ...[
    '=',
    '!x',
    '!!str 7',
    '&a b',
    '|',
    '>',
    "a'b",
    'a"b',
    'a: b',
    'a #b',
    'a#b',
    '`a',
    '@a',
    '%a',
    '-a',
  ],
  ...[
    "'it''s'",
    '"a\\tb"',
    '"a\\x41"',
    '"\\u00e9"',
    '"\\q"',
    "'a",
    '"a',
    '[a',
    '{a',
    'a]',
    '? a',
    ', a',
  ],
];

const LEADER_NAMES = [
  ...new Array<string>(24).fill('leaderName: cloud-provider-extraction-migration'),
  'leaderName: "other"',
  "leaderName: ''",
  ...['null', '7', 'yes'].map((word) => `leaderName: ${word}`),
  'leaderName: [a]',
  'leaderName:',
  'leadername: lower',
  '',
];

const RESOURCE_LOCKS = [
  ...new Array<string>(6).fill(''),
  ...new Array<string>(4).fill('resourceLock: leases'),
  'resourceLock: endpoints',
  'resourceLock: configmaps',
  'resourceLock: ""',
  'resourceLock: null',
];

/** Unknown fields, and one that occurs twice. */
const EXTRAS = [
  ...new Array<string>(12).fill(''),
  'controllers: []',
  'leaderElect: true',
  'leaderName: again',
  'metadata: {}',
  '# a comment',
  '\t# a tab',
  '\t',
];

const NAMES = [
  ...['service', 'route', 'cloud-node-lifecycle', 'nodeipam'],
  ...['service-lb-controller', 'node-route-controller', 'cloud-node-lifecycle-controller'],
  ...['node-ipam-controller', 'service-controller', 'route-controller', '"route"', "'service'"],
  ...['"*"', 'Route', '""'],
];

const COMPONENTS = [
  ...new Array<string>(6).fill('"*"'),
  ...new Array<string>(5).fill('kube-controller-manager'),
  ...new Array<string>(5).fill('cloud-controller-manager'),
  ...["'*'", '*', 'kcm', '""'],
];

const oneOf = (texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const mostly = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: oneOf(texts) }, { weight: 1, arbitrary: oneOf(ODD_WORDS) });

const entry = fc
  .record({
    name: mostly(NAMES),
    component: mostly(COMPONENTS),
    shape: fc.constantFrom(
      ...new Array<'good'>(20).fill('good'),
      ...(['turned', 'flow', 'nameOnly', 'componentOnly', 'split', 'extra', 'twice'] as const),
    ),
  })
  .map(({ name, component, shape }) => {
    switch (shape) {
      case 'good':
        return [`- name: ${name}`, `  component: ${component}`];
      case 'turned':
        return [`- component: ${component}`, `  name: ${name}`];
      case 'flow':
        return [`- { name: ${name}, component: ${component} }`];
      case 'nameOnly':
        return [`- name: ${name}`];
      case 'componentOnly':
        return [`- component: ${component}`];
      case 'split':
        return [`- name: ${name}`, `- component: ${component}`];
      case 'extra':
        return [`- name: ${name}`, `  component: ${component}`, '  weight: 1'];
      case 'twice':
        return [`- name: ${name}`, `  component: ${component}`, `  name: ${name}`];
    }
  });

const leaders = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .array(entry, { maxLength: 5 })
      .map((entries) => ['controllerLeaders:', ...entries.flat()]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[[], ['controllerLeaders:'], ['controllerLeaders: []'], ['controllerLeaders: null']],
      ...[['controllerLeaders: route'], ['controllerLeaders: { name: route }']],
      ['controllerLeaders:', '- route', '- service'],
    ),
  },
);

const around = fc.constantFrom(
  ...new Array<'plain'>(12).fill('plain'),
  ...(['document', 'crlf', 'indented', 'shuffled'] as const),
  ...(['secondDocument', 'emptyEnd', 'brokenEnd', 'ended', 'emptyFirst'] as const),
);

/** The text of one file. */
export const writtenFile: fc.Arbitrary<string> = fc
  .record({
    head: fc.tuple(oneOf(API_VERSIONS), oneOf(KINDS), oneOf(LEADER_NAMES), oneOf(RESOURCE_LOCKS)),
    extra: oneOf(EXTRAS),
    leaders,
    around,
  })
  .map(({ head, extra, leaders: list, around: how }) => {
    const parts = [...head, extra].filter((line) => line !== '');
    const lines = how === 'shuffled' ? [...list, ...parts] : [...parts, ...list];
    switch (how) {
      case 'document':
        return `---\n${lines.join('\n')}\n`;
      case 'secondDocument':
        return `${lines.join('\n')}\n---\nkind: Other\n`;
      case 'emptyEnd':
        return `${lines.join('\n')}\n---\n`;
      case 'brokenEnd':
        return `${lines.join('\n')}\n--- # b\na: [\n\tc: d\n`;
      case 'ended':
        return `${lines.join('\n')}\n...\na: b: c\n`;
      case 'emptyFirst':
        return `---\n---\n${lines.join('\n')}\n`;
      case 'crlf':
        return `${lines.join('\r\n')}\r\n`;
      case 'indented':
        return `${lines.map((line) => `  ${line}`).join('\n')}\n`;
      case 'plain':
      case 'shuffled':
        return `${lines.join('\n')}\n`;
    }
  });
