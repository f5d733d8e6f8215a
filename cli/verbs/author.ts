import type { Verb } from './verb.js';

/** Verbs that need nothing but files. */
export const AUTHOR_VERBS: readonly Verb[] = [
  {
    name: 'lint',
    about:
      'Checks configuration files offline, each folder below as a set of its own, and names every problem at its line and column.',
    examples: ['ccm-migrate lint fleet/', 'ccm-migrate lint fleet.yaml inventory.yaml policy.yaml'],
    arguments: [
      {
        syntax: '<files...>',
        about:
          'files, which belong together, or folders; hidden ones and links to folders are passed over',
      },
    ],
    flags: [],
    endings: ['reached', 'configInvalid'],
    load: async () => (await import('../commands/lint.js')).lint,
  },
  {
    name: 'schema',
    about: 'Prints the JSON Schema of a kind or of a machine-readable output.',
    examples: [
      'ccm-migrate schema MigrationPolicy > MigrationPolicy.json',
      'ccm-migrate schema MigrationPlan',
    ],
    arguments: [
      { syntax: '<kind>', about: 'FleetMigration, ClusterInventory, MigrationPolicy, …' },
    ],
    flags: [],
    endings: ['reached'],
    load: async () => (await import('../commands/schema.js')).schema,
  },
  {
    name: 'explain',
    about: 'Tells what a code means, why it matters and what to do.',
    examples: ['ccm-migrate explain CCM1107', 'ccm-migrate explain --list'],
    arguments: [{ syntax: '[code]', about: 'a code such as CCM1107' }],
    flags: [{ flags: '--list', about: 'every code with its title' }],
    endings: ['reached'],
    load: async () => (await import('../commands/explain.js')).explainCode,
  },
];
