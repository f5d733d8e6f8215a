import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FleetLab, openFleetLab, stateOf } from './support/fleet-lab.js';

let lab: FleetLab;
beforeAll(async () => {
  lab = await openFleetLab();
});
afterAll(() => lab.close());

describe('a fleet over a real server', () => {
  it('a fleet of two waves with a canary ends with every cluster proven', async () => {
    const outcome = await lab.withWorker(async () => {
      const handle = await lab.start({
        waves: [{}, {}],
        rows: [
          { name: 'a', canary: true },
          { name: 'b' },
          { name: 'c' },
          { name: 'd', wave: 1 },
          { name: 'e', wave: 1 },
          { name: 'f', wave: 1 },
        ],
      });
      const ended = await handle.result();
      const { rows, waves } = await stateOf(handle);
      expect(rows.map(({ started }) => started)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(waves.every(({ over }) => over)).toBe(true);
      return ended;
    });
    expect(outcome).toEqual({ kind: 'done', counts: { proven: 6 } });
  });
});
