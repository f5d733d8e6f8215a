import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';

/**
 * How long a watch may take, in ms; null without limit.
 * @throws UsageError where nothing is watched: a limit that limits nothing would be taken for one
 */
export function watchTimeMs({ options }: Pick<Cli, 'options'>, watches: boolean): number | null {
  const timeoutMs = options.durationMs('timeout');
  if (timeoutMs === null || watches) return timeoutMs;
  throw new UsageError('--timeout limits a watch, and nothing is watched: add --watch');
}

/** When a watch that begins now is over, as epoch ms; null without limit. */
export function watchDeadlineMs(cli: Pick<Cli, 'options'>): number | null {
  const timeoutMs = watchTimeMs(cli, true);
  return timeoutMs === null ? null : Date.now() + timeoutMs;
}
