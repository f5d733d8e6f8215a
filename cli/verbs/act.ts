import type { OperatorVerb } from '../../domain/run/operator-verbs.js';
import { OPERATOR_VERBS, VERB_NAMES } from '../../domain/run/operator-verbs.js';
import type { Verb } from './verb.js';
import { CLUSTER, FILES, FILES_OF_RUN, SERVER, TARGET, TIMEOUT, WHO_AND_WHY, YES } from './verb.js';

const RUN = [
  {
    syntax: '[cluster]',
    about: 'name or UID of the cluster; may be left out when there is only one run',
  },
];

const WITHOUT_WORKERS = {
  flags: '--without-workers',
  about: 'start even if no worker serves its region yet',
};

const FINDING = { flags: '--code <code>', about: 'code of the finding or gate' };

/** How a verb of a run is typed, from the table of what it is. */
function commandVerb(name: OperatorVerb): Verb {
  const { word, about, example, code, turnsTo } = OPERATOR_VERBS[name];
  return {
    name: word,
    about,
    examples: [`ccm-migrate ${word} prod-1 ${example}`],
    arguments: RUN,
    flags: [
      ...(code === 'none' ? [] : [FINDING]),
      ...(turnsTo === null ? [] : [WITHOUT_WORKERS]),
      ...[...WHO_AND_WHY, YES, TIMEOUT, FILES_OF_RUN, ...SERVER],
    ],
    exitStatuses: [
      ...(['reached', 'failed', 'checksFailed', 'refused', 'usage', 'configInvalid'] as const),
      ...(['timedOut', 'interrupted'] as const),
    ],
    load: async () => (await import('../commands/command.js')).commandOf(name),
  };
}

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
  ...VERB_NAMES.map(commandVerb),
];
