import { CancellationScope, patched } from '@temporalio/workflow';
import type { Admission } from '../activities/contract.js';
import { VERB_RULES } from '../domain/authority/verb-roles.js';
import { isAutomation } from '../domain/run/automation.js';
import type { OperatorCommand } from '../domain/run/operator-command.js';
import type { AdmittedBy, RunEvent, RunState } from '../domain/run/run-state.js';
import { answerOrRefusal, noted } from './admission-answers.js';
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
  /** Whether orders of a fleet change the course of this run only with what a person signed. */
  readonly bound: () => { readonly isBound?: true };
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
  let brakes = 0;
  const waiting = new Set<string>();
  const ask = async (command: OperatorCommand, received: Received): Promise<RunEvent> => {
    const before = brakes;
    const { commandId } = command;
    const answer = await CancellationScope.nonCancellable(() => asked(input, run.state, command));
    const why = answer.kind === 'refused' ? answer.why : brakes > before ? OVERTAKEN : null;
    if (why === null) {
      const by = admittedBy(command, answer);
      return { kind: 'commandReceived', command: noted(command, answer), ...received, ...by };
    }
    if (!isAutomation(command.actor)) return { kind: 'commandRefused', commandId, why };
    // The alert is there, and a brake needs no signature.
    return { kind: 'commandReceived', command: { ...command, verb: 'pause' }, ...received };
  };
  return {
    isAdmitting: (commandId) => waiting.has(commandId),
    unheard: () => emptied(waiting),
    // Runs of older builds have followed other orders, and must follow them when they are replayed.
    bound: () =>
      input.authority !== undefined && patched('signed-orders') ? { isBound: true } : {},
    receive: (command, pass) => {
      const received = { atMs: Date.now(), ...exactly(command) };
      const { isBrake } = VERB_RULES[command.verb];
      if (isBrake) brakes += 1;
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

interface Received {
  readonly atMs: number;
  readonly isExact?: true;
}

/**
 * Runs of older builds took an approval of something else for one of the handover, and a skip of a code that several gates share
 * for one of the first.
 */
function exactly({ verb, arguments: { code, gate } }: OperatorCommand): {
  readonly isExact?: true;
} {
  const isExact =
    verb === 'approve'
      ? code !== undefined && patched('exact-approvals')
      : verb === 'skip' && gate === undefined && patched('exact-skips');
  return isExact ? { isExact: true } : {};
}

const OVERTAKEN = 'a pause or stop has arrived since; send it again if it is still meant';

/** Approvals are counted by whose they are; a worker that obeys everyone names no one. */
function admittedBy(
  { verb }: OperatorCommand,
  answer: Admission,
): { readonly admitted?: AdmittedBy } {
  if (verb !== 'approve' || answer.kind === 'refused' || answer.principal === '') return {};
  const { principal, quorum = 1 } = answer;
  return { admitted: { principal, quorum } };
}

function asked(
  input: ClusterMigrationInput,
  state: RunState,
  command: OperatorCommand,
): Promise<Admission> {
  const { admitCommand } = admitting(input, `admit ${command.verb}`);
  return answerOrRefusal(() => admitCommand({ ...runContext(input, state), command }));
}
