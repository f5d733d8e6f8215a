import { CancellationScope, patched } from '@temporalio/workflow';
import type { Admission } from '../activities/contract.js';
import { VERB_RULES } from '../domain/authority/verb-roles.js';
import { isAutomation } from '../domain/run/automation.js';
import type { OperatorCommand } from '../domain/run/operator-command.js';
import type { MemberMessage } from '../domain/run/membership.js';
import type { ReceivedAs, Yields } from '../domain/run/queued-command.js';
import type { RunEvent, RunState } from '../domain/run/run-state.js';
import { answerOrRefusal, noted } from './admission-answers.js';
import { countBrakes } from './brake-count.js';
import { admitting } from './activity-proxies.js';
import type { ClusterMigrationInput } from './messages.js';
import { runContext } from './run-context.js';

/** Decides which commands a run hears of. */
export interface CommandReceiver {
  /** Passes on what becomes of a command: at once, or when a worker has said whose it is. */
  readonly receive: (
    command: OperatorCommand,
    pass: (event: RunEvent) => void,
  ) => Promise<void> | undefined;
  /** Whether an order of a fleet changes the course of this run only with what a person signed, and whether its pause holds a rollback. */
  readonly bound: (message: MemberMessage) => Pick<ReceivedAs, 'yields'> & {
    readonly isBound?: true;
  };
  /** Whether a command waits for that. */
  readonly isAdmitting: (commandId: string) => boolean;
  /** Ids of those that wait for it now that the run has ended. No answer counts any more. */
  readonly unheard: () => readonly string[];
}

/**
 * A run that was started with a statement asks a worker whose a command is before it hears of it. Brakes are heard of at once,
 * and nothing that was sent before a brake undoes it by being slow. A run without a statement asks nothing: a worker with an
 * access policy does not carry it out.
 */
export function openAdmission(
  input: ClusterMigrationInput,
  run: { readonly state: RunState },
): CommandReceiver {
  const brakes = countBrakes();
  const waiting = new Set<string>();
  const ask = async (command: OperatorCommand, received: Received): Promise<RunEvent> => {
    const isOvertaken = brakes.sinceNow(command.verb);
    const answer = await CancellationScope.nonCancellable(() => asked(input, run.state, command));
    const why = answer.kind === 'refused' ? answer.why : isOvertaken() ? OVERTAKEN : null;
    const { commandId, actor } = command;
    if (why === null) return admitted(command, answer, received);
    if (!isAutomation(actor)) return { kind: 'commandRefused', commandId, why };
    // The alert is there, and a brake needs no signature.
    return { kind: 'commandReceived', command: { ...command, verb: 'pause' }, ...received };
  };
  return {
    isAdmitting: (commandId) => waiting.has(commandId),
    unheard: () => emptied(waiting),
    // Runs of older builds have followed other orders, and must follow them when they are replayed.
    bound: ({ order }) => ({
      ...(input.authority !== undefined && patched('signed-orders') ? { isBound: true } : {}),
      ...('by' in order ? asAlert(order.by) : {}),
    }),
    receive: (command, pass) => {
      const received = { atMs: Date.now(), ...exactly(command), ...asAlert(command) };
      const { isBrake } = VERB_RULES[command.verb];
      if (isBrake) brakes.add({ isAlert: received.yields !== undefined });
      if (isBrake || input.authority === undefined) {
        pass({ kind: 'commandReceived', command, ...received });
        return undefined;
      }
      waiting.add(command.commandId);
      return ask(command, received).then((event) => {
        waiting.delete(command.commandId);
        pass(event);
      });
    },
  };
}

function emptied(waiting: Set<string>): readonly string[] {
  const left = [...waiting];
  waiting.clear();
  return left;
}

interface Received extends Pick<ReceivedAs, 'isExact' | 'yields'> {
  readonly atMs: number;
}

function asAlert({ actor }: { readonly actor: string }): Pick<ReceivedAs, 'yields'> {
  return isAutomation(actor) && patched('alerts-yield') ? { yields: yielding() } : {};
}

/** In runs of older builds the pauses of alerts held rollbacks, too, and later those only that policy had yet to begin. */
function yielding(): Yields {
  return patched('alerts-yield-to-policy') ? 'toPolicy' : true;
}

/**
 * Runs of older builds took an approval of something else for one of the handover, and a skip of a code that several gates share
 * for one of the first.
 */
function exactly({
  verb,
  arguments: { code, gate },
}: OperatorCommand): Pick<ReceivedAs, 'isExact'> {
  const isExact =
    verb === 'approve'
      ? code !== undefined && patched('exact-approvals')
      : verb === 'skip' && gate === undefined && patched('exact-skips');
  return isExact ? { isExact: true } : {};
}

const OVERTAKEN = 'a pause or stop has arrived since; send it again if it is still meant';

function admitted(command: OperatorCommand, answer: Admission, received: Received): RunEvent {
  const by = admittedBy(command, answer);
  return { kind: 'commandReceived', command: noted(command, answer), ...received, ...by };
}

/** Approvals are counted by whose they are; a worker that obeys everyone names no one. What automation signed is automation's. */
function admittedBy({ verb }: OperatorCommand, answer: Admission): ReceivedAs {
  if (answer.kind === 'refused') return {};
  const { principal, quorum = 1, byAutomation } = answer;
  if (byAutomation === true && patched('alerts-yield')) return { byAutomation, yields: yielding() };
  return verb !== 'approve' || principal === '' ? {} : { admitted: { principal, quorum } };
}

function asked(
  input: ClusterMigrationInput,
  state: RunState,
  command: OperatorCommand,
): Promise<Admission> {
  const { admitCommand } = admitting(input, `admit ${command.verb}`);
  return answerOrRefusal(() => admitCommand({ ...runContext(input, state), command }));
}
