import type { AutomationPolicy, MigrationPolicy } from '../policy.js';
import {
  type AutomationRuling,
  type WordToGoOn,
  automationIn,
  isAutomation,
  ruleOnAutomation,
} from '../run/automation.js';
import type { FleetCommand } from './fleet-command.js';
import type { FleetAnswer, FleetState } from './fleet-state.js';

/** What becomes of an order of automation to a fleet: the rule of a run, with the words that people gave the fleet. */
export function ruleOnFleetAutomation(
  state: FleetState,
  { order, alertSinceMs }: FleetCommand,
  policy: AutomationPolicy,
): AutomationRuling {
  const facts = { policy, beganAtMs: state.beganMs, lastWord: lastWordIn(state) };
  return ruleOnAutomation(facts, { verb: order.verb, alertSinceMs: alertSinceMs ?? null });
}

/**
 * What the waves of a fleet let automation do to all of it: a rollback where every one of them says so, and a pause where one
 * does. A run whose policy refuses the pause does not obey it.
 */
export function automationOfFleet(
  policies: readonly Pick<MigrationPolicy, 'automation'>[],
): AutomationPolicy {
  const each = policies.map(automationIn);
  const isAllowed = each.length > 0 && each.every(({ rollBack }) => rollBack === 'allowed');
  const isRefused = each.length > 0 && each.every(({ pause }) => pause === 'refused');
  return { pause: isRefused ? 'refused' : 'allowed', rollBack: isAllowed ? 'allowed' : 'refused' };
}

/** With these a person says that what was wrong has been looked at. */
const GO_ON: ReadonlySet<FleetAnswer['verb']> = new Set([
  ...(['resume', 'unfreeze', 'retry', 'rollForward', 'open'] as const),
]);

function lastWordIn({ answers }: FleetState): WordToGoOn | null {
  return Object.values(answers)
    .filter(
      ({ verb, state, actor }) => GO_ON.has(verb) && state === 'applied' && !isAutomation(actor),
    )
    .reduce<WordToGoOn | null>(
      (last, { actor, atMs }) => (last === null || atMs >= last.atMs ? { actor, atMs } : last),
      null,
    );
}
