import type { Verb } from './verb.js';
import { FILES, SERVER } from './verb.js';

const STATE_DIR = {
  flags: '--state-dir <folder>',
  about: 'where its database, evidence and logs are kept',
  preset: '.ccm-migrate',
};

const BACKGROUND = {
  flags: '--background',
  about: 'come back when it serves, and leave it running',
};

/** Verbs that start processes and stay. */
export const SERVE_VERBS: readonly Verb[] = [
  {
    name: 'demo',
    about:
      'Migrates a cluster there and back, live, and checks that all went right: a simulated one, or a real one (--lab).',
    examples: [
      'ccm-migrate demo',
      'ccm-migrate demo --keep',
      'ccm-migrate demo --seed 7 --speed 5',
      'sudo ccm-migrate demo --lab',
      'sudo ccm-migrate demo --lab --from 1.27.4 --to 1.28.15',
    ],
    arguments: [],
    flags: [
      { flags: '--keep', about: 'leave everything running and say how to look at it' },
      { flags: '--lab', about: 'on real control planes on this Linux machine, as root' },
      { flags: '--nodes <count>', about: 'control-plane nodes', preset: '3' },
      { flags: '--in-place', about: 'change the nodes themselves instead of replacing them' },
      {
        flags: '--strategy <name>',
        about: 'gap does without Leader Migration',
        choices: ['leaderMigration', 'gap'],
        preset: 'leaderMigration',
      },
      {
        flags: '--ccm <kind>',
        about: 'how the CCM is deployed',
        choices: ['staticPod', 'daemonSet'],
        preset: 'staticPod',
      },
      {
        flags: '--from <version>',
        about: 'of managers before, for example 1.27.4',
        preset: '1.29.15',
      },
      { flags: '--to <version>', about: 'of managers after and of API servers', preset: '1.30.14' },
      {
        flags: '--seed <number>',
        about: 'another draw of the simulator’s delays, instead of 1',
      },
      {
        flags: '--speed <factor>',
        about: 'simulated seconds in one real second, instead of 1',
      },
      {
        flags: '--state-dir <folder>',
        about: 'where to keep its files; a temporary folder unless given',
      },
    ],
    exitStatuses: ['reached', 'failed', 'checksFailed', 'interrupted'],
    load: async () => (await import('../commands/demo.js')).demo,
  },
  {
    name: 'dev',
    about:
      'Runs a Temporal development server and a worker on this machine, state kept in a folder.',
    examples: ['ccm-migrate dev -f fleet/', 'ccm-migrate dev -f fleet/ --state-dir ~/.ccm-migrate'],
    arguments: [],
    flags: [
      FILES,
      STATE_DIR,
      BACKGROUND,
      { flags: '--port <number>', about: 'of the Temporal server; a free one unless given' },
      { flags: '--ui-port <number>', about: 'of its web page; a free one unless given' },
    ],
    exitStatuses: ['reached', 'failed', 'configInvalid'],
    load: async () => (await import('../commands/dev.js')).dev,
  },
  {
    name: 'worker',
    about: 'Runs a worker: it carries out the steps of the clusters in its inventory.',
    examples: ['ccm-migrate worker -f inventory.yaml --address temporal.example.net:7233'],
    arguments: [],
    flags: [
      FILES,
      { flags: '--region <name>', about: 'serve the clusters of this region' },
      ...SERVER,
    ],
    exitStatuses: ['reached', 'failed', 'configInvalid'],
    load: async () => (await import('../commands/worker.js')).worker,
  },
  {
    name: 'simulator',
    about: 'Serves simulated clusters to play with and writes a kubeconfig for each.',
    examples: ['ccm-migrate simulator', 'ccm-migrate simulator --speed 10 --nodes 1'],
    arguments: [],
    flags: [
      {
        flags: '--state-dir <folder>',
        about: 'where kubeconfigs are written',
        preset: '.ccm-migrate/simulator',
      },
      BACKGROUND,
      { flags: '--port <number>', about: 'a free one unless given' },
      { flags: '--clusters <count>', about: 'how many', preset: '1' },
      {
        flags: '--preset <name>',
        about: 'how they were left, for example in-tree or migrated',
        preset: 'in-tree',
      },
      { flags: '--seed <number>', about: 'another draw of delays', preset: '1' },
      { flags: '--speed <factor>', about: 'simulated seconds in one real second', preset: '1' },
      { flags: '--nodes <count>', about: 'control-plane nodes', preset: '3' },
      {
        flags: '--from <version>',
        about: 'of managers and kubelets, for example 1.27.4',
        preset: '1.29.15',
      },
      { flags: '--to <version>', about: 'of API servers', preset: '1.30.14' },
    ],
    exitStatuses: ['reached', 'failed'],
    load: async () => (await import('../commands/simulator.js')).simulator,
  },
];
