import type { OptionReader } from '../../../cli/cli.js';
import { UsageError } from '../../../cli/cli-error.js';

export interface FleetDemoSettings {
  readonly keep: boolean;
  readonly seed: number;
  /** Simulated seconds per real second. */
  readonly speed: number;
}

/** Twelve migrations on two cores in three minutes. */
const FLEET_SPEED = 3;

/** Each with the value that it has when it is not given: the files of the fleet say these things. */
const NOT_FOR_FLEETS = [
  ['strategy', 'leaderMigration'],
  ['ccm', 'staticPod'],
  ['from', '1.29.15'],
  ['to', '1.30.14'],
  ['nodes', '3'],
] as const;

/** Reads the flags of `demo --fleet`. @throws UsageError for a flag that does not apply to it. */
export function fleetSettings(options: OptionReader): FleetDemoSettings {
  const given = NOT_FOR_FLEETS.find(([name, usual]) => (options.text(name) ?? usual) !== usual);
  const flag = (['lab', 'inPlace'] as const).find((name) => options.flag(name));
  const wrong = flag === 'inPlace' ? 'in-place' : (flag ?? given?.[0]);
  if (wrong !== undefined) {
    throw new UsageError(
      `--fleet has files of its own, which decide what --${wrong} would. Omit --${wrong}`,
    );
  }
  return {
    keep: options.flag('keep'),
    seed: options.number('seed') ?? 1,
    speed: options.number('speed') ?? FLEET_SPEED,
  };
}
