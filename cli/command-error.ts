import { CommanderError } from 'commander';
import type { ConfigProblem } from '../config/problems.js';
import { ConfigInvalid } from '../config/problems.js';
import type { Ending } from './endings.js';
import { EXIT_CODES } from './endings.js';
import { Refusal, WrongUsage } from './refusal.js';
import { refusalOf } from './refusal-of-failure.js';

/** Why a command failed, for programs: what `-o json` prints instead of its document. */
export interface CommandError {
  /** Of the catalogue; null where the command line is wrong, the wait was ended, or nobody expected it. */
  readonly code: string | null;
  readonly cluster: string | null;
  readonly message: string;
  readonly why: string;
  /** What to do next. */
  readonly next: string;
  /** Whether the same command may succeed later without intervention. */
  readonly retryable: boolean;
  readonly ending: Ending;
  readonly exit: number;
  /** Of configuration, with their places. */
  readonly problems: readonly ConfigProblem[];
}

export function commandError(error: unknown, ending: Ending): CommandError {
  const plain: CommandError = {
    ...{ code: null, cluster: null, why: '', next: '', retryable: false, problems: [] },
    message: error instanceof Error ? error.message : String(error),
    ...{ ending, exit: EXIT_CODES[ending] },
  };
  if (error instanceof ConfigInvalid) {
    return { ...plain, code: 'CCM5001', problems: error.problems, next: 'Correct the files.' };
  }
  if (error instanceof WrongUsage || error instanceof CommanderError)
    return { ...plain, next: 'See --help.' };
  const refusal = error instanceof Refusal ? error : refusalOf(error);
  if (refusal === null) return plain;
  const { code, cluster, why, fix: next, retryable } = refusal;
  return { ...plain, code, cluster, why, next, retryable };
}
