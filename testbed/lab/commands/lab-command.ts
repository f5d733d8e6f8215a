import type { Environment } from '../../../devserver/process-environment.js';
import type { Words } from './lab-options.js';

/** One run of `npm run lab`. */
export interface Command {
  readonly words: Words;
  readonly env: Environment;
  /** The command line verbatim, for the process that `up` leaves running. */
  readonly given: readonly string[];
}
