import type { OptionReader } from '../../cli/cli.js';
import { UsageError } from '../../cli/cli-error.js';
import type { MigrationVariant } from './variant.js';
import { variantOf } from './variant.js';

export interface DemoSettings {
  readonly environment: 'simulator' | 'lab';
  readonly nodes: number;
  readonly keep: boolean;
  readonly variant: MigrationVariant;
  /** For the simulator: the seed of its random delays, and simulated seconds per real second. */
  readonly seed: number;
  readonly speed: number;
}

const NODES = 3;

/** Reads the flags of `demo`. @throws UsageError for a flag that does not apply to the chosen environment. */
export function demoSettings(options: OptionReader): DemoSettings {
  const environment = options.flag('lab') ? 'lab' : 'simulator';
  const seed = options.number('seed');
  const speed = options.number('speed');
  if (environment === 'lab' && speed !== null) {
    throw new UsageError('--speed is for the simulator only: the lab runs in real time. Omit it');
  }
  if (environment === 'lab' && seed !== null) {
    throw new UsageError('--seed is for the simulator only: the lab has no random delays. Omit it');
  }
  return {
    environment,
    nodes: options.number('nodes') ?? NODES,
    keep: options.flag('keep'),
    variant: variantOf(options),
    seed: seed ?? 1,
    speed: speed ?? 1,
  };
}
