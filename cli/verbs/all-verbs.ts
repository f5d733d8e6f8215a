import { ACCESS_VERBS } from './access-verbs.js';
import { ACT_VERBS } from './act.js';
import { AUDIT_VERBS } from './audit-verbs.js';
import { GATE_VERBS } from './gate-verbs.js';
import { SERVE_VERBS } from './serve.js';
import type { Verb } from './verb.js';
import { CLUSTER, FILES, FILES_OF_RUN, SERVER, TARGET, TIMEOUT } from './verb.js';

/** Verbs that need nothing but files. */
const AUTHOR_VERBS: readonly Verb[] = [
  {
    name: 'lint',
    about:
      'Checks configuration files offline, each subfolder as a set of its own, and reports every problem with its line and column.',
    examples: ['ccm-migrate lint fleet/', 'ccm-migrate lint fleet.yaml inventory.yaml policy.yaml'],
    arguments: [
      {
        syntax: '<files...>',
        about:
          'files of one set, or folders; hidden ones and symbolic links to folders are ignored',
      },
    ],
    flags: [],
    exitStatuses: ['reached', 'configInvalid'],
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
    exitStatuses: ['reached'],
    load: async () => (await import('../commands/schema.js')).schema,
  },
  {
    name: 'explain',
    about: 'Explains what a code means, why it matters and what to do.',
    examples: ['ccm-migrate explain CCM1107', 'ccm-migrate explain --list'],
    arguments: [{ syntax: '[code]', about: 'a code such as CCM1107' }],
    flags: [{ flags: '--list', about: 'every code with its title' }],
    exitStatuses: ['reached'],
    load: async () => (await import('../commands/explain.js')).explainCode,
  },
];

/** Verbs that read and never change anything. */
const OBSERVING_VERBS: readonly Verb[] = [
  {
    name: 'check',
    about: 'Checks clusters and reports what stands in the way of their migration.',
    examples: [
      'ccm-migrate check -f fleet/',
      'ccm-migrate check -f fleet/ --cluster prod-1 --severity warning',
      'ccm-migrate check -f fleet/ --skip CCM1109 -o json',
    ],
    arguments: [],
    flags: [
      FILES,
      CLUSTER,
      { flags: '--only <code...>', about: 'only these codes' },
      { flags: '--skip <code...>', about: 'all but these codes' },
      {
        flags: '--severity <level>',
        about: 'lowest severity that makes it fail',
        choices: ['error', 'warning', 'info'],
        preset: 'error',
      },
      ...SERVER,
    ],
    exitStatuses: ['reached', 'failed', 'checksFailed', 'configInvalid'],
    load: async () => (await import('../commands/check.js')).check,
  },
  {
    name: 'plan',
    about: 'Shows every step of a migration with the exact changes it will make; changes nothing.',
    examples: [
      'ccm-migrate plan -f fleet/',
      'ccm-migrate plan -f fleet/ --out plan.json',
      'ccm-migrate plan -f fleet/ --target kcm',
    ],
    arguments: [],
    flags: [
      FILES,
      CLUSTER,
      TARGET,
      { flags: '--out <path>', about: 'write the plan, for `ccm-migrate apply`' },
      { flags: '--full', about: 'also show added and deleted files in full' },
      { flags: '--detailed-exitcode', about: 'exit 2 when the plan has steps' },
    ],
    exitStatuses: ['reached', 'failed', 'changes', 'checksFailed', 'configInvalid'],
    load: async () => (await import('../commands/plan.js')).plan,
  },
  {
    name: 'status',
    about: 'Shows the state of a migration: phase, step, node, owner, and what it waits for.',
    examples: [
      'ccm-migrate status',
      'ccm-migrate status prod-1 -w',
      'ccm-migrate status prod-1 -w --until paused --timeout 5m',
      'ccm-migrate status prod-eu -w',
    ],
    arguments: [
      {
        syntax: '[run]',
        about:
          'name or UID of a cluster, or name of a fleet; may be left out when there is only one',
      },
    ],
    flags: [
      { flags: '-w, --watch', about: 'follow it until it ends' },
      {
        flags: '--until <state>',
        about: 'end when this is reached',
        choices: ['done', 'rolledBack', 'paused', 'held', 'ended'],
      },
      TIMEOUT,
      FILES_OF_RUN,
      ...SERVER,
    ],
    exitStatuses: [
      'reached',
      'failed',
      'rolledBack',
      'halted',
      'inconclusive',
      'timedOut',
      'interrupted',
    ],
    load: async () => (await import('../commands/status.js')).status,
  },
  {
    name: 'get',
    about: 'Lists the clusters, waves or approvals of a fleet.',
    examples: [
      'ccm-migrate get clusters prod-eu -l state=held',
      'ccm-migrate get clusters prod-eu/wave/main -l region=r5 -o json',
      'ccm-migrate get approvals prod-eu',
    ],
    arguments: [
      { syntax: '<what>', about: 'clusters, waves or approvals' },
      { syntax: '<fleet>', about: 'as in `ccm-migrate status FLEET`' },
    ],
    flags: [
      {
        flags: '-l, --selector <label...>',
        about: 'only clusters with this label, as key=value; state=held by what they do',
      },
      ...SERVER,
    ],
    exitStatuses: ['reached', 'failed'],
    load: async () => (await import('../commands/get.js')).get,
  },
  {
    name: 'describe',
    about:
      'Shows everything known about a run: steps taken, findings, rollback; with -o json also gates.',
    examples: [
      'ccm-migrate describe prod-1',
      'ccm-migrate describe prod-1 -o json',
      'ccm-migrate describe prod-eu/eu-17',
    ],
    arguments: [
      {
        syntax: '[run]',
        about:
          'name or UID of a cluster, or FLEET, FLEET/CLUSTER; may be left out when there is only one run',
      },
    ],
    flags: [FILES_OF_RUN, ...SERVER],
    exitStatuses: ['reached', 'failed'],
    load: async () => (await import('../commands/describe.js')).describe,
  },
];

/** Verbs about the tool itself. */
const SET_UP_VERBS: readonly Verb[] = [
  {
    name: 'version',
    about: 'Prints the version of this tool and of what it runs on.',
    examples: ['ccm-migrate version', 'ccm-migrate version -o json'],
    arguments: [],
    flags: [],
    exitStatuses: ['reached'],
    load: async () => (await import('../commands/version.js')).version,
  },
  {
    name: 'completion',
    about: 'Prints a completion script for a shell.',
    examples: ['source <(ccm-migrate completion bash)'],
    arguments: [{ syntax: '<shell>', about: 'bash, zsh or fish' }],
    flags: [],
    exitStatuses: ['reached', 'usage'],
    load: async () => (await import('../commands/completion.js')).completion,
  },
];

/** All verbs, in the groups and the order of the help page. */
export const VERB_GROUPS: readonly { readonly title: string; readonly verbs: readonly Verb[] }[] = [
  { title: 'Write', verbs: AUTHOR_VERBS },
  { title: 'Look', verbs: OBSERVING_VERBS },
  { title: 'Act', verbs: ACT_VERBS },
  { title: 'Gates', verbs: GATE_VERBS },
  { title: 'Allow', verbs: ACCESS_VERBS },
  { title: 'Prove', verbs: AUDIT_VERBS },
  { title: 'Run', verbs: SERVE_VERBS },
  { title: 'Set up', verbs: SET_UP_VERBS },
];

export const ALL_VERBS: readonly Verb[] = VERB_GROUPS.flatMap((group) => group.verbs);
