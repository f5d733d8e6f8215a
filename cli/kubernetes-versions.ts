import { kubernetesVersion } from '../config/kinds/migration-policy.js';
import { minorOf } from '../domain/managers/minors.js';
import type { OptionReader } from './cli.js';
import { UsageError } from './cli-error.js';

export const SOURCE_VERSION = '1.29.15';
export const TARGET_VERSION = '1.30.14';

/** Manager versions before and after, in full and without `v`. API servers run the second from the start. */
export interface Versions {
  readonly from: string;
  readonly to: string;
}

/**
 * Reads `--from` and `--to` before anything is started: a lab can build for minutes what a policy then refuses.
 * @throws UsageError for a string that is no version, and for a pair that a control plane cannot move between in one
 * step.
 */
export function versionsOf(options: OptionReader): Versions {
  const from = version(options, 'from', SOURCE_VERSION);
  const to = version(options, 'to', TARGET_VERSION);
  const step = (minorOf(to) ?? Number.NaN) - (minorOf(from) ?? Number.NaN);
  if (step !== 0 && step !== 1) {
    throw new UsageError(
      `--from ${from} --to ${to}: a control plane keeps its minor version or moves to the next one; choose --from and --to accordingly`,
    );
  }
  return { from, to };
}

function version(options: OptionReader, flag: 'from' | 'to', usual: string): string {
  const read = kubernetesVersion.safeParse(options.text(flag) ?? usual);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new UsageError(`--${flag} ${options.text(flag) ?? ''}: ${issue?.message ?? 'no version'}`);
}
