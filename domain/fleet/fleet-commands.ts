import { type AutomationPolicy, UNSTATED_AUTOMATION } from '../policy.js';
import { isAutomation } from '../run/automation.js';
import { ruleOnFleetAutomation } from './automated-commands.js';
import { orderRefused, type OrderResult } from './order-result.js';
import { brake, release } from './brakes.js';
import {
  approveInFleet,
  openWave,
  rejectInFleet,
  setBudget,
  setLimits,
} from './fleet-approvals.js';
import type { FleetCommand } from './fleet-command.js';
import type { FleetTransition } from './fleet-events.js';
import type { FleetAnswer, FleetState } from './fleet-state.js';
import {
  afterStop,
  retryRows,
  rollBackRows,
  rollForwardRows,
  skipRows,
  stopRows,
} from './row-commands.js';
import { unchanged } from './fleet-rows.js';
import type { SettingsTexts } from './revised-settings.js';
import { reviseFleet, type FleetRevision, type RevisedFleet } from './revise-fleet.js';
import { revisionText } from './revision-changes.js';
import type { UnreadableCommand } from './read-fleet-command.js';

/** Applies a command once. Its answer stays in the state, so that the same command finds it. */
export function applyCommand(
  state: FleetState,
  command: FleetCommand,
  automation: AutomationPolicy = UNSTATED_AUTOMATION,
): FleetTransition {
  const { commandId, actor, order } = command;
  if (Object.hasOwn(state.answers, commandId)) return unchanged(state);
  const { state: after, actions, answer } = resultOf(state, command, automation);
  const said = { verb: order.verb, actor, atMs: state.nowMs, ...answer };
  return { state: { ...after, answers: remembered(after.answers, commandId, said) }, actions };
}

function resultOf(
  state: FleetState,
  command: FleetCommand,
  automation: AutomationPolicy,
): OrderResult {
  if (!isForThisFleet(state, command)) return orderRefused(state, OTHER_FLEET);
  return state.stopped ? afterStop(state) : ruledOrder(state, command, automation);
}

function ruledOrder(
  state: FleetState,
  command: FleetCommand,
  automation: AutomationPolicy,
): OrderResult {
  if (!isAutomation(command.actor)) return carryOut(state, command);
  const ruling = ruleOnFleetAutomation(state, command, automation);
  if (ruling.kind === 'refused') return orderRefused(state, ruling.why);
  const done = carryOut(state, { ...command, order: { verb: ruling.verb } });
  if (ruling.instead === '') return done;
  return {
    ...done,
    answer: { ...done.answer, detail: `${ruling.instead}; ${done.answer.detail}` },
  };
}

const OTHER_FLEET =
  'it was meant for another fleet of this name, which has ended; look at this one, then give the command again';

/** Two people may open an ended fleet again at once: what the second one saw holds for what the first one opened. */
function isForThisFleet(
  { fleetRun, formerRun }: FleetState,
  { fleetRun: meant, scope }: FleetCommand,
): boolean {
  return meant === null ? scope.kind === 'fleet' : meant === fleetRun || meant === formerRun;
}

/** Applies a new plan once; null where it was refused, or has been applied. */
export function applyRevision(
  state: FleetState,
  revision: FleetRevision,
  before: SettingsTexts,
): { readonly state: FleetState; readonly revised: RevisedFleet | null } {
  const { commandId, actor } = revision;
  if (Object.hasOwn(state.answers, commandId)) return { state, revised: null };
  const result = reviseFleet(state, revision, before);
  const said = { verb: 'revise', actor, atMs: state.nowMs } as const;
  if (result.kind !== 'revised') {
    const detail = result.kind === 'refused' ? result.detail : 'the fleet has this plan already';
    const { answer } = orderRefused(state, detail);
    const answers = remembered(state.answers, commandId, { ...said, ...answer });
    return { state: { ...state, answers }, revised: null };
  }
  const { joins, leaves, moves, replanned } = result.changes;
  const applied = new Set([...names(joins), ...leaves, ...names(moves), ...replanned]).size;
  const detail = revisionText(result.state.revision, result.changes);
  const answer = { ...said, state: 'applied', applied, refused: 0, detail } as const;
  const answers = remembered(state.answers, commandId, answer);
  return { state: { ...result.state, answers }, revised: result };
}

function names(clusters: readonly { readonly name: string }[]): readonly string[] {
  return clusters.map(({ name }) => name);
}

/** Answers a command that could not be read, so that its sender does not wait. */
export function refuseUnreadable(
  state: FleetState,
  { commandId, actor, problem }: UnreadableCommand,
): FleetState {
  if (commandId === '' || Object.hasOwn(state.answers, commandId)) return state;
  const { answer } = orderRefused(state, problem);
  const said = { verb: 'unreadable', actor, atMs: state.nowMs, ...answer } as const;
  return { ...state, answers: remembered(state.answers, commandId, said) };
}

/** Answers are kept so long that no client asks again. */
const KEPT_ANSWERS = 1000;

function remembered(
  answers: FleetState['answers'],
  commandId: string,
  answer: FleetAnswer,
): FleetState['answers'] {
  const all = [...Object.entries(answers), [commandId, answer] as const];
  return Object.fromEntries(all.slice(-KEPT_ANSWERS));
}

function carryOut(state: FleetState, command: FleetCommand): OrderResult {
  const { order } = command;
  switch (order.verb) {
    case 'pause':
      return brake(state, command, 'pause');
    case 'resume':
      return release(state, command, 'pause');
    case 'freeze':
      return brake(state, command, 'freeze');
    case 'unfreeze':
      return release(state, command, 'freeze');
    case 'approve':
      return approveInFleet(state, command, order);
    case 'reject':
      return rejectInFleet(state, command, order.subject);
    case 'skip':
      return skipRows(state, command);
    case 'open':
      return openWave(state, command);
    case 'retry':
      return retryRows(state, command, order.only);
    case 'stop':
      return stopRows(state, command);
    case 'rollBack':
      return rollBackRows(state, command);
    case 'rollForward':
      return rollForwardRows(state, command);
    case 'set':
      return setLimits(state, command, order);
    case 'budget':
      return setBudget(state, command, order.clusters);
  }
}
