import type { CommandAnswer } from './operator-command.js';
import type { RunState } from './run-state.js';

/** A command's effect on the run, and the answer to its sender. */
export interface Applied {
  readonly state: RunState;
  readonly answer: CommandAnswer;
}

export function applied(state: RunState, detail: string): Applied {
  return { state, answer: { state: 'applied', detail } };
}

export function refused(state: RunState, detail: string): Applied {
  return { state, answer: { state: 'refused', detail } };
}

export function answered(state: RunState, commandId: string, answer: CommandAnswer): RunState {
  return { ...state, answers: { ...state.answers, [commandId]: answer } };
}
