import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FleetState } from '../../../domain/fleet/fleet-state.js';
import { waitReason } from '../../../domain/fleet/wait-reasons.js';
import { waveStanding } from '../../../domain/fleet/waves.js';
import { FleetRun, inSoak, moves, must } from './any-fleet.js';
import { fleets, RUNS } from './drawn-fleets.js';

/** What may hold a row when all members are well. Limits that free themselves are none. */
const FOR_A_PERSON = new Set(['paused', 'wave', 'canary', 'group', 'budget', 'person', 'unproven']);

const isShort = (state: FleetState): boolean =>
  state.waves.some((wave) => waveStanding(state, wave).kind === 'short');

describe('any fleet', () => {
  it('keeps its limits, starves none, and ends or says what it waits for', () => {
    fc.assert(
      fc.property(fleets, (given) => {
        const run = new FleetRun(given);
        for (const chance of given.chances) run.step(chance);
        run.finish();
        const reasons = run.state.rows.map((row) => waitReason(run.state, row)?.kind);
        // The last pass follows all waves, and so whatever a person has to do in one of them.
        const asks =
          isShort(run.state) || reasons.some((reason) => FOR_A_PERSON.has(String(reason)));
        for (const row of run.state.rows) {
          const reason = reasons[row.index];
          const forPerson = reason === undefined || FOR_A_PERSON.has(reason);
          must(forPerson || (reason === 'lastPass' && asks), 'waits without need', { row, reason });
          must(reason !== undefined || !(moves(row) || inSoak(row)), 'never ends', row);
        }
      }),
      { numRuns: RUNS },
    );
    expect(RUNS).toBeGreaterThan(0);
  });
});
