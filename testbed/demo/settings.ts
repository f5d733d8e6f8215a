import type { OptionReader } from '../../cli/cli.js';
import { WrongUsage } from '../../cli/refusal.js';
import type { DemoWay } from './way.js';
import { wayOf } from './way.js';

export interface DemoSettings {
  readonly world: 'simulator' | 'lab';
  readonly nodes: number;
  readonly keep: boolean;
  readonly way: DemoWay;
  /** Of the simulator: which draw of delays, and simulated seconds in a real one. */
  readonly seed: number;
  readonly speed: number;
}

const NODES = 3;

/** Reads the flags of `demo`. @throws WrongUsage for a flag that means nothing in the world chosen. */
export function demoSettings(options: OptionReader): DemoSettings {
  const world = options.flag('lab') ? 'lab' : 'simulator';
  const seed = options.number('seed');
  const speed = options.number('speed');
  if (world === 'lab' && speed !== null) {
    throw new WrongUsage('--speed is of the simulator: the lab runs in real time. Leave it out');
  }
  if (world === 'lab' && seed !== null) {
    throw new WrongUsage('--seed is of the simulator: the lab draws no delays. Leave it out');
  }
  return {
    world,
    nodes: options.number('nodes') ?? NODES,
    keep: options.flag('keep'),
    way: wayOf(options),
    seed: seed ?? 1,
    speed: speed ?? 1,
  };
}
