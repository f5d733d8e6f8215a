import type { Cli } from '../cli.js';
import { watchCommand } from '../typed-command.js';

/** Says to somebody who looks no longer that the run goes on, and how to follow it again. */
export function sayDetached({ terminal, options }: Cli, cluster: string): void {
  terminal.err(`detached; the run goes on\nNext: ${watchCommand(cluster, options)}\n`);
}
