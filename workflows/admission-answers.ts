import type { Admission } from '../activities/contract.js';
import { runFailure } from './run-failure.js';

/** What a worker says of a command; that it cannot say is a refusal. */
export async function answerOrRefusal(ask: () => Promise<Admission>): Promise<Admission> {
  try {
    return await ask();
  } catch (error) {
    const failure = runFailure(error);
    if (failure === null) throw error;
    return { kind: 'refused', why: failure.message };
  }
}

/** What people must know of a command goes where its reason goes: status, history, evidence. */
export function noted<Command extends { readonly reason: string }>(
  command: Command,
  answer: Admission,
): Command {
  if (answer.kind === 'refused' || answer.note === '') return command;
  return { ...command, reason: `${command.reason} [${answer.note}]` };
}
