import type { FleetOrder, FleetScope } from './fleet-command.js';

type FleetVerb = FleetOrder['verb'];

/** One thing that an operator can tell a fleet. The table is the only place that lists them. */
interface FleetVerbTraits {
  /** As typed on the command line. */
  readonly word: string;
  /** Its help, in one sentence; null where the verb of a single run has the same. */
  readonly about: string | null;
  /** Its help's example: what follows the word. */
  readonly example: string;
  /** What the fleet does then, as asked before it is sent: "the fleet …". */
  readonly effect: string;
  /** How deliberate the operator has to be; `none` where it can be taken back, so that a reason is enough. */
  readonly confirmation: 'none' | 'simple' | 'typed';
  readonly scopes: readonly FleetScope['kind'][];
}

const ANY = ['fleet', 'wave', 'group', 'rows'] as const;
const FLEET_ONLY = ['fleet'] as const;

export const FLEET_VERBS = {
  pause: {
    ...{ word: 'pause', about: null, confirmation: 'none', scopes: ANY },
    example: 'prod-eu/wave/main --reason "investigating latency"',
    effect: 'starts nothing there, and its open runs hold at their next safe point',
  },
  resume: {
    ...{ word: 'resume', about: null, confirmation: 'none', scopes: ANY },
    example: 'prod-eu -l region=r5 --reason "storage is back"',
    effect: 'releases the pause of exactly this part, and what failures of a group held',
  },
  approve: {
    ...{ word: 'approve', about: null, confirmation: 'simple', scopes: ['fleet', 'wave'] },
    example: 'prod-eu/wave/main --reason "pilot is clean"',
    effect: 'counts the approval',
  },
  reject: {
    ...{ word: 'reject', about: null, confirmation: 'simple', scopes: ['fleet', 'wave'] },
    example: 'prod-eu/wave/main --reason "freeze until Monday"',
    effect: 'holds the wave, and drops the approvals given before',
  },
  skip: {
    ...{ word: 'skip', about: null, confirmation: 'simple', scopes: ANY },
    example: 'prod-eu/eu-17 --reason "is decommissioned"',
    effect: 'leaves out clusters that have not started',
  },
  retry: {
    ...{ word: 'retry', about: null, confirmation: 'simple', scopes: ANY },
    example: 'prod-eu --signature "CCM4008 removeMachine" --reason "quota raised"',
    effect: 'tries them again when there is a slot',
  },
  rollBack: {
    ...{ word: 'rollback', about: null, confirmation: 'simple', scopes: ANY },
    example: 'prod-eu/wave/main --reason "load balancers degrade"',
    effect: 'rolls them back to the in-tree controllers, newest first',
  },
  rollForward: {
    ...{ word: 'rollforward', about: null, confirmation: 'simple', scopes: ANY },
    example: 'prod-eu/eu-17 --reason "cause was found"',
    effect: 'makes the CCM their target again',
  },
  stop: {
    ...{ word: 'stop', about: null, confirmation: 'typed', scopes: ANY },
    example: 'prod-eu --reason "continue next week"',
    effect:
      'ends their runs at the next safe point and starts no other; a fleet that was stopped does not go on',
  },
  open: {
    ...{ word: 'open', confirmation: 'simple', scopes: ['wave'] },
    about: 'Begins a wave before its turn, or goes on in one whose canaries are not proven.',
    example: 'prod-eu/wave/main --reason "canary failed for a reason of its own"',
    effect: 'lets its clusters start',
  },
  set: {
    ...{ word: 'set', confirmation: 'none', scopes: FLEET_ONLY },
    about:
      'Changes how many clusters of a fleet change or are unproven at a time: lower at once, higher when another person approves.',
    example: 'prod-eu --in-flight 20 --reason "one rack is out"',
    effect: 'takes these limits; no run is interrupted',
  },
  budget: {
    ...{ word: 'budget', confirmation: 'simple', scopes: FLEET_ONLY },
    about:
      'Changes how many clusters of a fleet may fail; never by the person who asked for the fleet.',
    example: 'prod-eu --clusters 60 --reason "failures are understood"',
    effect: 'takes this failure budget',
  },
  freeze: {
    ...{ word: 'freeze', confirmation: 'none', scopes: FLEET_ONLY },
    about:
      'Holds everything of a fleet until it is unfrozen; a pause and its resume stay as they are.',
    example: 'prod-eu --reason "incident 4711"',
    effect: 'starts nothing, and every open run holds at its next safe point',
  },
  unfreeze: {
    ...{ word: 'unfreeze', confirmation: 'simple', scopes: FLEET_ONLY },
    about: 'Lets a frozen fleet go on; what was paused stays paused.',
    example: 'prod-eu --reason "incident is over"',
    effect: 'goes on where nothing else holds it',
  },
} as const satisfies Readonly<Record<FleetVerb, FleetVerbTraits>>;

/** The traits of a verb, as wide as their interface. */
export function fleetVerbOf(verb: FleetVerb): FleetVerbTraits {
  return FLEET_VERBS[verb];
}
