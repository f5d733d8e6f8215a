import { kubernetesVersion } from '../config/kinds/migration-policy.js';
import { minorOf } from '../domain/managers/minors.js';
import type { OptionReader } from './cli.js';
import { UsageError } from './cli-error.js';

export const SOURCE_VERSION = '1.29.15';
export const TARGET_VERSION = '1.30.14';

/** Of managers before and after, in full and without `v`. The API servers have the second from the start. */
export interface Versions {
  readonly from: string;
  readonly to: string;
}

/**
 * Reads `--from` and `--to` before anything is started, for a lab may build for minutes what a policy would then refuse.
 * @throws WrongUsage for what is no version, and for two that no control plane goes between in one step.
 */
export function versionsOf(options: OptionReader): Versions {
  const from = version(options, 'from', SOURCE_VERSION);
  const to = version(options, 'to', TARGET_VERSION);
  const step = (minorOf(to) ?? Number.NaN) - (minorOf(from) ?? Number.NaN);
  if (step !== 0 && step !== 1) {
    throw new UsageError(
      `--from ${from} --to ${to}: a control plane stays at its minor version or goes to the next one; give both flags so`,
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
