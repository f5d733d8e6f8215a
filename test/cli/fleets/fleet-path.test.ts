import { describe, expect, it } from '@jest/globals';
import { fleetPath, isOnlyFleet, scopeOf } from '../../../cli/fleets/fleet-path.js';
import { GivenFleet, rowPlans, WAVE } from '../../domain/fleet/given-fleet.js';

const { state } = new GivenFleet({
  waves: [
    { ...WAVE, name: 'pilot' },
    { ...WAVE, name: '1' },
  ],
  rows: rowPlans(
    { groups: ['region=r1', 'tier=gold'] },
    { groups: ['region=r1'], wave: 1 },
    { groups: ['region=r2'], wave: 1 },
  ),
});

describe('what an operator types to mean a fleet', () => {
  it.each<[string, object | null, boolean]>([
    ['prod', { fleet: 'prod', part: { kind: 'all' } }, false],
    ['fleet-migration/prod', { fleet: 'prod', part: { kind: 'all' }, text: 'prod' }, true],
    ['prod/eu-17', { fleet: 'prod', part: { kind: 'cluster', cluster: 'eu-17' } }, true],
    ['prod/wave', { fleet: 'prod', part: { kind: 'cluster', cluster: 'wave' } }, true],
    ['prod/wave/main', { fleet: 'prod', part: { kind: 'wave', wave: 'main' } }, true],
    ['cluster-migration/1-2-3', null, false],
  ])('%s is understood', (written, path, onlyFleet) => {
    expect(fleetPath(written)).toEqual(path === null ? null : expect.objectContaining(path));
    expect(isOnlyFleet(written)).toBe(onlyFleet);
  });

  it.each<[string, readonly string[], object]>([
    ['prod', [], { kind: 'fleet' }],
    ['prod', ['region=r1'], { kind: 'group', group: 'region=r1' }],
    ['prod', ['region=r1', 'tier=gold'], { kind: 'rows', rows: [0] }],
    ['prod/wave/pilot', [], { kind: 'wave', wave: 0 }],
    ['prod/wave/2', [], { kind: 'wave', wave: 1 }],
    ['prod/wave/1', [], { kind: 'wave', wave: 1 }],
    ['prod/wave/1', ['region=r2'], { kind: 'rows', rows: [2] }],
    ['prod/c1', [], { kind: 'rows', rows: [1] }],
  ])('%s with labels %j is its scope', (written, labels, scope) => {
    const path = fleetPath(written);
    if (path === null) throw new Error('not a fleet');
    expect(scopeOf(state, path, labels)).toEqual(scope);
  });

  it.each([
    ['prod/c9', [], /fleet prod has no cluster c9.*"?c0"?/],
    ['prod/wave/pilots', [], /fleet prod has no wave pilots \(pilot, 1\).*"?pilot"?/],
    ['prod', ['region=r9'], /-l region=r9: no cluster of prod has this label/],
    ['prod', ['region=r2', 'tier=gold'], /no cluster of prod has all of these labels/],
    ['prod/wave/9', [], /has no wave 9/],
  ])('%s with labels %j is refused', (written, labels, message) => {
    const path = fleetPath(written);
    if (path === null) throw new Error('not a fleet');
    expect(() => scopeOf(state, path, labels)).toThrow(message);
  });
});
