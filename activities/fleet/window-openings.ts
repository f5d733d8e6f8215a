import { maintenanceWindow } from '../../config/kinds/maintenance-window.js';
import { openingsOf } from '../../config/openings.js';
import { failure } from '../failures.js';
import type { OpeningsInput, WaveOpenings } from '../fleet-contract.js';
import type { FleetFacts } from './fleet-facts.js';

/** Openings of every wave that has windows or excluded dates. */
export function openingsOfWaves(
  { waves }: FleetFacts,
  { fromMs, untilMs }: OpeningsInput,
): readonly WaveOpenings[] {
  return waves.flatMap(({ name, scheduled, windows, excludedDates }, wave) => {
    if (!scheduled) return [];
    const read = windows.map((each) => maintenanceWindow.safeParse(each));
    const known = read.flatMap(({ data }) => (data === undefined ? [] : [data]));
    if (known.length < read.length) {
      throw failure('InvalidInput', `wave ${name}: this version cannot read its windows`);
    }
    return [{ wave, openings: openingsOf(known, excludedDates, fromMs, untilMs) }];
  });
}
