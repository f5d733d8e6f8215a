import { duration } from '../../../config/duration.js';
import type { OptionReader } from '../../../cli/cli.js';
import { UsageError } from '../../../cli/cli-error.js';

export interface RehearsalSettings {
  /** Most clusters in all. */
  readonly clusters: number;
  readonly soak: string;
  /** How each cluster was left. */
  readonly preset: string;
  readonly seed: number;
  /** Simulated seconds per real second. */
  readonly speed: number;
  /** A folder that stays; null for one that is removed. */
  readonly keep: string | null;
}

const SOAK = duration('0s', '24h', 'Soak of each migration.');

/** Reads the flags of `rehearse`. @throws UsageError for a value that the rewritten files would not take */
export function rehearsalSettings(options: OptionReader): RehearsalSettings {
  const clusters = options.number('clusters') ?? 24;
  if (!Number.isInteger(clusters)) {
    throw new UsageError(`--clusters ${clusters}: write a whole number`);
  }
  return {
    ...{ clusters, soak: soakOf(options) },
    preset: options.text('preset') ?? 'in-tree',
    seed: options.number('seed') ?? 1,
    speed: options.number('speed') ?? 3,
    keep: options.text('keep'),
  };
}

function soakOf(options: OptionReader): string {
  const written = options.text('soak') ?? '5s';
  const soak = SOAK.safeParse(written);
  if (soak.success) return soak.data;
  throw new UsageError(`--soak ${written}: ${soak.error.issues[0]?.message ?? 'is no duration'}`);
}
