import { describe, expect, it } from '@jest/globals';
import type { FleetScope } from '../../../domain/fleet/fleet-command.js';
import { GivenFleet, rows } from './given-fleet.js';

describe('a command for one of the fleets that had a name', () => {
  const stop = { commandId: 'x', actor: 'bo', reason: '', order: { verb: 'stop' } } as const;

  it.each<[string, string | null, FleetScope, 'applied' | 'refused']>([
    ['this fleet', 'run-1', rows(0), 'applied'],
    ['the fleet from which this one was opened again', 'run-0', rows(0), 'applied'],
    ['an earlier fleet of this name', 'run-00', rows(0), 'refused'],
    ['an earlier fleet of this name, as a whole', 'run-00', { kind: 'fleet' }, 'refused'],
    ['a fleet that is not named', null, rows(0), 'refused'],
    ['a fleet that is not named, by wave', null, { kind: 'wave', wave: 0 }, 'refused'],
    ['a fleet that is not named, by label', null, { kind: 'group', group: 'a=b' }, 'refused'],
    ['whatever fleet is open, as a whole', null, { kind: 'fleet' }, 'applied'],
  ])('meant for %s', (_, fleetRun, scope, answer) => {
    const fleet = new GivenFleet();
    fleet.state = { ...fleet.state, formerRun: 'run-0' };
    fleet.tell({ kind: 'command', atMs: 1000, command: { ...stop, fleetRun, scope } });
    expect(fleet.state.answers['x']).toMatchObject({ state: answer });
    if (answer === 'refused') expect(fleet.acted('withdraw')).toEqual([]);
  });

  it('of no fleet says what to do, also where its fleet has none left', () => {
    const fleet = new GivenFleet();
    const command = { ...stop, fleetRun: 'other', scope: rows(0) };
    fleet.tell({ kind: 'command', atMs: 1000, command });
    expect(fleet.state.answers['x']?.detail).toMatch(
      /another fleet of this name.*look at this one/,
    );
  });
});
