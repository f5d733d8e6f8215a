import { CancellationScope } from '@temporalio/workflow';
import type { Admission } from '../../activities/contract.js';
import type { FleetMigrationInput } from '../../activities/fleet-input.js';
import { VERB_RULES } from '../../domain/authority/verb-roles.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import { isAutomation } from '../../domain/run/automation.js';
import { countBrakes } from '../brake-count.js';
import { answerOrRefusal, noted } from '../admission-answers.js';
import { fleetActivities, fleetRef } from './fleet-calls.js';
import type { FleetMail, ReceiveFleetCommand, ReceiveRevision } from './fleet-mailbox.js';

/**
 * A fleet that was started with a statement asks a worker whose a command is before it hears of it, as a run does. Brakes are
 * heard of at once, and nothing that was sent before a brake undoes it by being slow, but for a rollback, which no alert overtakes.
 */
export function openFleetAdmission(
  input: FleetMigrationInput,
  settings: () => { readonly authority?: unknown },
): ReceiveFleetCommand {
  const brakes = countBrakes();
  return (command, pass) => {
    const { isBrake } = VERB_RULES[command.order.verb];
    if (isBrake) brakes.add({ isAlert: isAutomation(command.actor) });
    if (isBrake || settings().authority === undefined) {
      pass(heard(command));
      return undefined;
    }
    const isOvertaken = brakes.sinceNow(command.order.verb);
    return CancellationScope.nonCancellable(() => asked(input, command)).then((answer) => {
      const why = answer.kind === 'refused' ? answer.why : isOvertaken() ? OVERTAKEN : null;
      pass(why === null ? heard(admitted(command, answer)) : notHeard(command, why));
    });
  };
}

/** A new plan is asked about in the same way. It is no brake, and none overtakes it: what it lets start stays braked. */
export function openRevisionAdmission(
  input: FleetMigrationInput,
  settings: () => { readonly authority?: unknown },
): ReceiveRevision {
  return (order, pass) => {
    const mail = (principal: string): FleetMail => ({ kind: 'revision', order, principal });
    if (settings().authority === undefined) {
      pass(mail(''));
      return undefined;
    }
    const { commandId, actor, given, signed } = order;
    const asking = { commandId, planDigest: given.plan.planDigest };
    const ask = fleetActivities(input, 'admit the new plan');
    const answer = CancellationScope.nonCancellable(() =>
      answerOrRefusal(() =>
        ask.admitRevision({
          ...{ ...fleetRef(), ...asking },
          ...(signed === undefined ? {} : { signed }),
        }),
      ),
    );
    return answer.then((said) => {
      if (said.kind === 'admitted') pass(mail(said.principal));
      else pass({ kind: 'unreadable', commandId, actor, problem: `CCM4035: ${said.why}` });
    });
  };
}

const OVERTAKEN = 'a pause, freeze or stop has arrived since; send it again if it is still meant';

/** With whose key it was, so that one person who claims two names counts once. */
function admitted(command: FleetCommand, answer: Admission): FleetCommand {
  const said = noted(command, answer);
  const principal = answer.kind === 'admitted' ? answer.principal : '';
  return principal === '' ? said : { ...said, principal };
}

function heard(command: FleetCommand): FleetMail {
  return { kind: 'event', event: { kind: 'command', command } };
}

/** Of automation the brake remains, which needs no signature. */
function notHeard(command: FleetCommand, why: string): FleetMail {
  const { commandId, actor } = command;
  return isAutomation(actor)
    ? heard({ ...command, order: { verb: 'pause' } })
    : { kind: 'unreadable', commandId, actor, problem: `CCM4035: ${why}` };
}

function asked(input: FleetMigrationInput, command: FleetCommand): Promise<Admission> {
  const activities = fleetActivities(input, `admit ${command.order.verb}`);
  return answerOrRefusal(() => activities.admitCommand({ ...fleetRef(), command }));
}
