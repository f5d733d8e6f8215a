import type { OptionReader } from '../../cli/cli.js';
import { UsageError } from '../../cli/cli-error.js';
import type { MigrationVariant } from './variant.js';
import { variantOf } from './variant.js';

export interface DemoSettings {
  readonly environment: 'simulator' | 'lab';
  readonly nodes: number;
  readonly keep: boolean;
  readonly variant: MigrationVariant;
  /** Of the simulator: which draw of delays, and simulated seconds in a real one. */
  readonly seed: number;
  readonly speed: number;
}

const NODES = 3;

/** Reads the flags of `demo`. @throws WrongUsage for a flag that means nothing in the world chosen. */
export function demoSettings(options: OptionReader): DemoSettings {
  const environment = options.flag('lab') ? 'lab' : 'simulator';
  const seed = options.number('seed');
  const speed = options.number('speed');
  if (environment === 'lab' && speed !== null) {
    throw new UsageError('--speed is of the simulator: the lab runs in real time. Leave it out');
  }
  if (environment === 'lab' && seed !== null) {
    throw new UsageError('--seed is of the simulator: the lab draws no delays. Leave it out');
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
