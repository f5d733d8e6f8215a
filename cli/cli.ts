import type { Ending } from './endings.js';
import type { OptionReader } from './option-reader.js';
import type { Terminal } from './terminal/terminal.js';
import type { Theme } from './terminal/theme.js';

export type Environment = Readonly<Record<string, string | undefined>>;
export type OutputFormat = 'text' | 'json' | 'jsonl';

/** What surrounds one command: handed to it, never reached for. */
export interface Cli {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly env: Environment;
  readonly output: OutputFormat;
  /** Aborted by Ctrl-C or a termination signal. */
  readonly signal: AbortSignal;
  readonly options: OptionReader;
  /** Arguments that are not flags, in order. */
  readonly arguments: readonly string[];
}

/** What a verb does; the answer becomes the exit code. */
export type CommandAction = (cli: Cli) => Promise<Ending>;
