import { condition, log, setHandler } from '@temporalio/workflow';
import { readCommand, type CommandAnswer } from '../domain/run/operator-command.js';
import type { RunEvent } from '../domain/run/run-state.js';
import { readVerdict } from '../domain/run/read-verdict.js';
import { readOrder } from '../domain/run/read-order.js';
import type { CommandReceiver } from './command-admission.js';
import { answerQuery, breachSignal, commandSignal, orderSignal } from './messages.js';

/** Everything that happens to a run, in order of arrival. Handlers only add; only the loop removes. */
export interface Mailbox {
  readonly put: (event: RunEvent) => void;
  /** A bug in this program: fails the workflow task at the next `take`. */
  readonly fail: (error: unknown) => void;
  readonly take: () => Promise<RunEvent>;
  /** What has arrived and was not yet taken. */
  readonly rest: () => readonly RunEvent[];
  readonly isEmpty: () => boolean;
}

export function openMailbox(): Mailbox {
  const events: RunEvent[] = [];
  const mistakes: unknown[] = [];
  return {
    put: (event) => void events.push(event),
    fail: (error) => void mistakes.push(error),
    take: async () => {
      await condition(() => events.length > 0 || mistakes.length > 0);
      const event = events.shift();
      if (mistakes.length > 0 || event === undefined) throw mistakes[0];
      return event;
    },
    rest: () => events.splice(0),
    isEmpty: () => events.length === 0 && mistakes.length === 0,
  };
}

/** Signals become events. A malformed message is answered; it never stops the run. */
export function receiveSignals(mailbox: Mailbox, admission: CommandReceiver): void {
  const receive = (sent: unknown): Promise<void> | undefined => {
    const read = readCommand(sent);
    if (read.kind === 'command') return admission.receive(read.command, mailbox.put);
    log.warn('malformed command ignored', { problem: read.problem });
    const { commandId, problem } = read;
    mailbox.put({ kind: 'commandMalformed', commandId, problem });
    return undefined;
  };
  // One that still waits when the run ends is refused, with its outcome.
  setHandler(commandSignal, receive, { unfinishedPolicy: 'ABANDON' });
  setHandler(breachSignal, (sent: unknown) => {
    mailbox.put({ kind: 'guardBreach', verdict: readVerdict(sent) });
  });
  setHandler(orderSignal, (sent: unknown) => {
    const message = readOrder(sent);
    if (message === null) log.warn('malformed order ignored');
    else mailbox.put({ kind: 'orderReceived', message, ...admission.bound(message) });
  });
}

/** Answers queries about the outcome of a command. */
export function answerQueries(answerOf: (commandId: string) => CommandAnswer): void {
  setHandler(answerQuery, (commandId: unknown) => {
    if (typeof commandId !== 'string' || commandId === '') throw new Error('name a commandId');
    return answerOf(commandId);
  });
}
