import type { Verb } from './verb.js';
import { CLUSTER, FILES, FILES_OF_RUN, SERVER, TARGET, TIMEOUT, WHO_AND_WHY, YES } from './verb.js';

const RUN = [
  { syntax: '[cluster]', about: 'name or UID of the cluster; the only run unless given' },
];

function command(
  name: string,
  about: string,
  examples: readonly string[],
  flags: Verb['flags'] = [],
): Verb {
  return {
    name,
    about,
    examples,
    arguments: RUN,
    flags: [...flags, ...WHO_AND_WHY, YES, TIMEOUT, FILES_OF_RUN, ...SERVER],
    exitStatuses: [
      ...(['reached', 'failed', 'checksFailed', 'refused', 'usage', 'configInvalid'] as const),
      ...(['timedOut', 'interrupted'] as const),
    ],
    load: async () => (await import('../commands/command.js')).commandNamed(name),
  };
}

const WITHOUT_WORKERS = {
  flags: '--without-workers',
  about: 'start although no worker serves its region yet',
};

const FINDING = { flags: '--code <code>', about: 'which finding or gate is meant' };

/** Verbs that change a run or start one. */
export const ACT_VERBS: readonly Verb[] = [
  {
    name: 'apply',
    about: 'Starts a migration: the saved plan if it still holds, or a new one after asking.',
    examples: [
      'ccm-migrate apply plan.json --reason "CHG-4711" --watch',
      'ccm-migrate apply -f fleet/ --reason "CHG-4711" --yes',
    ],
    arguments: [{ syntax: '[plan]', about: 'file written by `ccm-migrate plan --out`' }],
    flags: [
      FILES,
      CLUSTER,
      TARGET,
      ...WHO_AND_WHY,
      YES,
      { flags: '--full', about: 'show the whole plan instead of a summary first' },
      { flags: '-w, --watch', about: 'follow it until it ends' },
      { flags: '--take-over', about: 'take the cluster over from a run that no longer exists' },
      WITHOUT_WORKERS,
      TIMEOUT,
      ...SERVER,
    ],
    exitStatuses: [
      ...(['reached', 'failed', 'checksFailed', 'rolledBack', 'halted', 'refused'] as const),
      ...(['inconclusive', 'usage', 'configInvalid', 'timedOut', 'interrupted'] as const),
    ],
    load: async () => (await import('../commands/apply.js')).apply,
  },
  command('pause', 'Holds a run at its next safe point and waits until it is there.', [
    'ccm-migrate pause prod-1 --reason "investigating latency"',
  ]),
  command('resume', 'Lets a paused run continue in its previous direction.', [
    'ccm-migrate resume prod-1 --reason "latency was unrelated"',
  ]),
  command(
    'approve',
    'Grants the approval that the run waits for.',
    ['ccm-migrate approve prod-1 --reason "reviewed with SRE"'],
    [FINDING],
  ),
  command(
    'reject',
    'Refuses the approval that the run waits for; the run keeps holding.',
    ['ccm-migrate reject prod-1 --reason "freeze until Monday"'],
    [FINDING],
  ),
  command(
    'skip',
    'Waives one finding or soft gate once, for exactly what was observed; some can never be skipped.',
    ['ccm-migrate skip prod-1 --code CCM1109 --reason "accepted, see CHG-4711"'],
    [FINDING],
  ),
  command('retry', 'Observes the cluster again and retries what failed.', [
    'ccm-migrate retry prod-1 --reason "node is back"',
  ]),
  command(
    'rollback',
    'Reverses the run at its next safe point: rolls back to the in-tree controllers.',
    ['ccm-migrate rollback prod-1 --reason "load balancers degrade"'],
    [WITHOUT_WORKERS],
  ),
  command(
    'rollforward',
    'Makes the cloud-controller-manager the target again at the next safe point.',
    ['ccm-migrate rollforward prod-1 --reason "cause was found"'],
    [WITHOUT_WORKERS],
  ),
  command('stop', 'Ends the run at its next safe point; the cluster stays in that state.', [
    'ccm-migrate stop prod-1 --reason "continue next week"',
  ]),
];
