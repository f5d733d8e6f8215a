import { describe, expect, it } from '@jest/globals';
import { lowerBound } from '../../../../domain/fleet/lower-bound.js';
import { drawFleet, regionOf, ruleAlone } from '../../../../testbed/bench/fleet/drawn-fleet.js';
import { barrierMs, poolMs } from '../../../../testbed/bench/fleet/other-schedulers.js';
import { SMALL, STATED } from './given-parameters.js';

describe('a drawn fleet', () => {
  const stated = drawFleet(STATED);

  it('a drawn fleet is the same for the same seed, and another for another', () => {
    expect(drawFleet(STATED)).toEqual(stated);
    expect(drawFleet({ ...STATED, seed: 2 })).not.toEqual(stated);
  });

  it('a drawn fleet has one slow and three failing clusters in a hundred, and changes of about a minute', () => {
    const { plan, behaviours } = stated;
    const slow = behaviours.filter(({ changeMs }) => changeMs > 120_000);
    expect(slow.length).toBeGreaterThanOrEqual(4);
    expect(slow.length).toBeLessThanOrEqual(16);
    const failing = behaviours.filter(({ fails }) => fails !== null).length;
    expect(failing).toBeGreaterThanOrEqual(20);
    expect(failing).toBeLessThanOrEqual(40);
    const mean = behaviours.reduce((sum, { changeMs }) => sum + changeMs, 0) / plan.rows.length;
    expect(mean).toBeGreaterThan(55_000);
    expect(mean).toBeLessThan(75_000);
  });

  it('a drawn fleet knows its slow clusters, and nothing else about its draws', () => {
    const { plan, behaviours } = stated;
    for (const [index, { expectedMs }] of plan.rows.entries()) {
      const takesMs = Number(behaviours[index]?.changeMs);
      expect(expectedMs).toBe(takesMs > 120_000 ? takesMs : 60_000);
    }
  });

  it('a fleet with a broken region fails there, all for one cause, and the rule stops that region alone', () => {
    const broken = drawFleet({ ...SMALL, brokenRegion: true, seed: 3 });
    const there = broken.plan.rows.map(({ groups }) => groups.includes(regionOf(0)));
    expect(there.filter(Boolean)).toHaveLength(5);
    for (const [index, { fails }] of broken.behaviours.entries()) {
      if (there[index] === true) expect(fails?.signature).toBe('kind 0');
    }
    const { rows } = ruleAlone(broken).state;
    const changed = rows.filter(
      ({ groups, started }) => groups.includes(regionOf(0)) && started > 0,
    );
    expect(changed.length).toBeLessThanOrEqual(4);
  });

  it('the rule alone ends the fleet close to the lower bound', () => {
    const { state, journal } = ruleAlone(drawFleet({ ...STATED, clusters: 200 }));
    expect(state.rows.every(({ phase }) => phase === 'proven' || phase === 'back')).toBe(true);
    expect(state.nowMs).toBeGreaterThanOrEqual(lowerBound(state.policy, journal));
  });
});

describe('other schedulers', () => {
  const one = { changeMs: 10, soakMs: 5, backMs: 12, fails: null };
  const slow = { ...one, changeMs: 100 };
  const failing = { ...one, fails: { afterMs: 4, signature: 'kind 0' } };

  it('waves with a barrier wait for their slowest cluster, its soak included', () => {
    expect(barrierMs([one, slow, one, one, failing], 2)).toBe(105 + 15 + 16);
  });

  it('a plain pool takes the next cluster as soon as a slot is free, and knows no soak', () => {
    expect(poolMs([slow, one, one, failing], 2)).toBe(100);
    expect(poolMs([one, one, one], 2)).toBe(20);
  });
});
