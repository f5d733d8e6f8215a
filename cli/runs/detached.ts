import type { Cli } from '../cli.js';
import { watchCommand } from '../typed-command.js';

/** Reports at the end of a watch that the run continues, and how to follow it again. */
export function sayDetached({ terminal, options }: Cli, cluster: string): void {
  terminal.err(`detached; the run continues\nNext: ${watchCommand(cluster, options)}\n`);
}
