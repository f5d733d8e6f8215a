import type { Verb } from './verb.js';
import { CLUSTER, FILES, FILES_OF_RUN, SERVER, TARGET, TIMEOUT } from './verb.js';

/** Verbs that read and never change anything. */
export const LOOK_VERBS: readonly Verb[] = [
  {
    name: 'check',
    about: 'Looks at a cluster and says what stands in the way of its migration.',
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
        about: 'which findings make it fail',
        choices: ['error', 'warning', 'info'],
        preset: 'error',
      },
    ],
    endings: ['reached', 'failed', 'checksFailed', 'configInvalid'],
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
      { flags: '--full', about: 'show whole files too, where one is new or goes' },
      { flags: '--detailed-exitcode', about: 'exit 2 when the plan has steps' },
    ],
    endings: ['reached', 'failed', 'changes', 'checksFailed', 'configInvalid'],
    load: async () => (await import('../commands/plan.js')).plan,
  },
  {
    name: 'status',
    about: 'Shows where a migration stands: phase, step, node, owner, and what it waits for.',
    examples: [
      'ccm-migrate status',
      'ccm-migrate status prod-1 -w',
      'ccm-migrate status prod-1 -w --until paused --timeout 5m',
    ],
    arguments: [
      { syntax: '[cluster]', about: 'name or UID of the cluster; the only run unless given' },
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
    endings: [
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
    name: 'describe',
    about: 'Shows all that is known of a run: steps taken, findings, gates, breaches, way back.',
    examples: ['ccm-migrate describe prod-1', 'ccm-migrate describe prod-1 -o json'],
    arguments: [
      { syntax: '[cluster]', about: 'name or UID of the cluster; the only run unless given' },
    ],
    flags: [FILES_OF_RUN, ...SERVER],
    endings: ['reached', 'failed'],
    load: async () => (await import('../commands/describe.js')).describe,
  },
];
