import type { OperatorVerb } from '../../domain/run/operator-verbs.js';
import { OPERATOR_VERBS, VERB_NAMES } from '../../domain/run/operator-verbs.js';
import { FLEET_VERBS } from '../../domain/fleet/fleet-verbs.js';
import type { Flag, Verb } from './verb.js';
import {
  CLUSTER,
  FILES,
  FILES_OF_RUN,
  SERVER,
  TARGET,
  TICKET,
  TIMEOUT,
  WHO_AND_WHY,
  YES,
} from './verb.js';

const RUN = [
  {
    syntax: '[run]',
    about:
      'name or UID of a cluster, or FLEET, FLEET/wave/NAME, FLEET/CLUSTER; may be left out when there is only one run',
  },
];

const SELECTOR = {
  flags: '-l, --selector <label...>',
  about: 'of a fleet, only clusters with this label, as key=value',
};

/** What only commands to fleets take. */
const FLEET_FLAGS: Readonly<Partial<Record<OperatorVerb, readonly Flag[]>>> = {
  approve: [{ flags: '--limits', about: 'of a fleet, the higher limits that another person set' }],
  reject: [{ flags: '--limits', about: 'of a fleet, the higher limits that another person set' }],
  retry: [
    { flags: '--failed', about: 'of a fleet, only clusters that failed' },
    { flags: '--skipped', about: 'of a fleet, only clusters that were left out' },
    { flags: '--signature <text>', about: 'of a fleet, only clusters that failed or hold with it' },
  ],
};

const WITHOUT_WORKERS = {
  flags: '--without-workers',
  about: 'start even if no worker serves its region yet',
};

const FINDING = { flags: '--code <code>', about: 'code of the finding or gate' };

const GATE = {
  flags: '--gate <name>',
  about: 'which gate, where several hold the run with this code',
};

/** How a verb of a run is typed, from the table of what it is. */
function commandVerb(name: OperatorVerb): Verb {
  const { word, about, example, code, turnsTo } = OPERATOR_VERBS[name];
  return {
    name: word,
    about,
    examples: [
      `ccm-migrate ${word} prod-1 ${example}`,
      `ccm-migrate ${word} ${FLEET_VERBS[name].example}`,
    ],
    arguments: RUN,
    flags: [
      SELECTOR,
      ...(FLEET_FLAGS[name] ?? []),
      ...(code === 'none' ? [] : [FINDING]),
      ...(code === 'required' ? [GATE] : []),
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

const FLEET_PART = {
  open: '<fleet/wave/name>',
  set: '<fleet>',
  budget: '<fleet>',
  freeze: '[fleet]',
  unfreeze: '[fleet]',
} as const;

const ALL = { flags: '--all', about: 'every open fleet and every open run of the namespace' };

const OWN_FLAGS: Readonly<Record<keyof typeof FLEET_PART, readonly Flag[]>> = {
  open: [],
  set: [
    { flags: '--in-flight <count>', about: 'most clusters that change at the same time' },
    { flags: '--unproven <count>', about: 'most clusters that change, soak or are held' },
    { flags: '--what-if', about: 'change nothing; forecast the rest of the fleet with both' },
  ],
  budget: [{ flags: '--clusters <count>', about: 'how many clusters may fail in all' }],
  freeze: [ALL],
  unfreeze: [ALL],
};

/** How a verb is typed that only fleets have. */
function fleetOnlyVerb(name: keyof typeof FLEET_PART): Verb {
  const { word, about, example } = FLEET_VERBS[name];
  return {
    name: word,
    about,
    examples: [
      `ccm-migrate ${word} ${example}`,
      ...(OWN_FLAGS[name].includes(ALL)
        ? [`ccm-migrate ${word} --all --reason "incident 4711"`]
        : []),
    ],
    arguments: [{ syntax: FLEET_PART[name], about: 'as in `ccm-migrate status FLEET`' }],
    flags: [...OWN_FLAGS[name], ...whoAndWhy(name), YES, TIMEOUT, ...SERVER],
    exitStatuses: ['reached', 'failed', 'refused', 'usage', 'timedOut', 'interrupted'],
    load: async () => (await import('../commands/fleet-command-action.js')).fleetCommandOf(name),
  };
}

/** Only runs keep a ticket, and a freeze of everything is for runs on their own, too. */
function whoAndWhy(name: keyof typeof FLEET_PART): readonly Flag[] {
  return WHO_AND_WHY.filter((flag) => flag !== TICKET || OWN_FLAGS[name].includes(ALL));
}

const FLEET_ONLY = ['open', 'set', 'budget', 'freeze', 'unfreeze'] as const;

/** Verbs that change a run or start one. */
export const ACT_VERBS: readonly Verb[] = [
  {
    name: 'apply',
    about:
      'Starts a migration of a cluster or a fleet: the saved plan if it still holds, or a new one after asking. A fleet that is open gets the plan as its next revision.',
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
      { flags: '--take-over', about: 'take one cluster over from a run that no longer exists' },
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
  ...FLEET_ONLY.map(fleetOnlyVerb),
];
