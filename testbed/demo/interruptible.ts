import { rmSync } from 'node:fs';
import process from 'node:process';
import type { Cli } from '../../cli/cli.js';
import { Interrupted } from '../../cli/cli-error.js';
import type { ExitStatus } from '../../cli/exit-status.js';
import type { DemoLayout } from './layout.js';

/** A demo or a rehearsal that can be interrupted at any moment. */
export interface Interruptible {
  readonly name: 'demo' | 'rehearsal';
  readonly layout: DemoLayout;
  /** The command that ends what a second signal leaves running; null where everything ends with this process. */
  readonly outlivesUs: (() => string) | null;
}

/** Processes that were just killed may still write. */
const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 } as const;

/**
 * Does `work`, which ends what it has started and deletes its folder where that is ours. A second signal ends this process at once, and
 * its servers with it: then the folder is deleted here, after them.
 * @throws Interrupted with what was ended and what is left, after an interruption or when no one reads the output any more
 */
export async function interruptible(
  { signal, terminal }: Pick<Cli, 'signal' | 'terminal'>,
  parts: Interruptible,
  work: () => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const { layout, outlivesUs } = parts;
  const atOnce = (): void => {
    if (!signal.aborted) return;
    if (outlivesUs === null && layout.temporary) rmSync(layout.root, REMOVAL);
    terminal.err(`${leftAtOnce(parts, signal)}\n`);
  };
  process.once('exit', atOnce);
  try {
    const exitStatus = await work();
    if (exitStatus !== 'interrupted') return exitStatus;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    process.off('exit', atOnce);
  }
  throw new Interrupted(leftBy(parts, signal));
}

function leftAtOnce(parts: Interruptible, signal: AbortSignal): string {
  const { outlivesUs } = parts;
  if (outlivesUs === null) return leftBy(parts, signal);
  return `${because(signal)}: with --keep its servers run on: ${outlivesUs()}`;
}

function leftBy({ name, layout }: Interruptible, signal: AbortSignal): string {
  const left = layout.temporary ? 'nothing is left' : `its files stay in ${layout.root}`;
  return `${because(signal)}: the clusters, the Temporal server and the workers of this ${name} have ended; ${left}`;
}

/** `interrupted (received SIGINT)`, or that the output is closed. */
function because({ reason }: AbortSignal): string {
  return `interrupted (${reason instanceof Error ? reason.message : String(reason)})`;
}
