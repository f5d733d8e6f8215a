import { type AutomationPolicy, type MigrationPolicy, UNSTATED_AUTOMATION } from '../policy.js';

/** Actors that are no person begin so: `automation/<name of the token>`. */
const PREFIX = 'automation/';

export function automationActor(token: string): string {
  return `${PREFIX}${token}`;
}

/** Whether automation says so. However it is spelled: who writes the name differently must not gain rights by it. */
export function isAutomation(actor: string): boolean {
  return actor.trim().toLowerCase().startsWith(PREFIX);
}

/** Whether the pause of an alert undoes a command that was sent before it and is admitted later. A rollback is more than that pause. */
export function alertOvertakes(verb: string): boolean {
  return verb !== 'rollBack';
}

/** What the policy lets automation do. A run that an older build began states nothing. */
export function automationIn({
  automation,
}: Pick<MigrationPolicy, 'automation'>): AutomationPolicy {
  return automation ?? UNSTATED_AUTOMATION;
}

/** A person's word to go on: what was wrong before it has been looked at. */
export interface WordToGoOn {
  readonly actor: string;
  /** Epoch ms, when the word arrived. */
  readonly atMs: number;
}

/** What decides about an order of automation. */
export interface AutomationFacts {
  readonly policy: AutomationPolicy;
  /** Epoch ms; null where an older build began it. */
  readonly beganAtMs: number | null;
  readonly lastWord: WordToGoOn | null;
}

/** What becomes of an order of automation. `instead`: why it pauses although a rollback was asked for; empty otherwise. */
export type AutomationRuling =
  | { readonly kind: 'obeyed'; readonly verb: 'pause' | 'rollBack'; readonly instead: string }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Automation may pull the brake and, where the policy says so, turn around; it never gives a word that lets something go on. A
 * rollback that may not be pauses: the alert is there, and a person decides. `alertSinceMs` null: unknown, so that it counts as
 * older than the run.
 */
export function ruleOnAutomation(facts: AutomationFacts, order: AutomationOrder): AutomationRuling {
  const { verb, alertSinceMs } = order;
  const { policy, lastWord } = facts;
  if (verb !== 'pause' && verb !== 'rollBack') {
    return { kind: 'refused', why: `CCM4040: automation may pause or roll back, never ${verb}` };
  }
  if (lastWord !== null && alertSinceMs !== null && alertSinceMs <= lastWord.atMs) {
    return {
      kind: 'refused',
      why: `CCM4041: the alert began before ${lastWord.actor} let it go on`,
    };
  }
  if (verb === 'rollBack' && mayTurn(facts, alertSinceMs)) {
    return { kind: 'obeyed', verb, instead: '' };
  }
  if (policy.pause === 'refused') {
    return { kind: 'refused', why: `CCM4040: the policy refuses ${verb} by automation` };
  }
  return { kind: 'obeyed', verb: 'pause', instead: verb === 'pause' ? '' : insteadOf(policy) };
}

/** As it arrives: the verb is any that people have. */
interface AutomationOrder {
  readonly verb: string;
  /** Null where it is not known. */
  readonly alertSinceMs: number | null;
}

/** An alert older than the run is not the run's doing. */
function mayTurn({ policy, beganAtMs }: AutomationFacts, alertSinceMs: number | null): boolean {
  if (policy.rollBack !== 'allowed' || alertSinceMs === null || beganAtMs === null) return false;
  return alertSinceMs >= beganAtMs;
}

function insteadOf({ rollBack }: AutomationPolicy): string {
  return rollBack === 'allowed'
    ? 'the alert began before the run, so it does not roll back'
    : 'the policy refuses a rollback by automation';
}
