import { expect, it } from '@jest/globals';
import { readJournal } from '../../../../testbed/bench/fleet/bench-journal.js';
import { benchInput } from '../../../../testbed/bench/fleet/bench-input.js';
import { drawFleet } from '../../../../testbed/bench/fleet/drawn-fleet.js';
import { openEngine } from '../../../../testbed/bench/fleet/engine.js';
import { thisMachine } from '../../../../testbed/bench/bench-machine.js';
import { barsOf } from '../../../../testbed/bench/fleet/fleet-bars.js';
import { figuresOf } from '../../../../testbed/bench/fleet/fleet-figures.js';
import { followBench } from '../../../../testbed/bench/fleet/follow-bench.js';
import { settledSizes } from '../../../../testbed/bench/fleet/history-sizes.js';
import { SMALL } from './given-parameters.js';

const FEW = {
  ...SMALL,
  ...{ clusters: 6, seed: 36, steps: 2, changeMs: 400, soakMs: 300 },
  ...{ inFlight: 3, unproven: 4, budget: 3 },
};

it('the engine benchmark moves a small fleet with the real workflows and keeps every limit', async () => {
  const fleet = drawFleet(FEW);
  const said: string[] = [];
  const report = (line: string): void => void said.push(line);
  const engine = await openEngine(FEW, { env: process.env, report, folder: null });
  try {
    const followed = await followBench(engine, benchInput(fleet, FEW), {
      drills: { kill: false, pause: false, stopHeld: false },
      withinMs: 100_000,
      report,
    });
    const sizes = await settledSizes(engine.client);
    const figures = figuresOf(fleet, readJournal(engine.journal), followed, sizes);
    expect(figures.phases).toEqual({ proven: 5, back: 1 });
    const bars = barsOf({ parameters: FEW, figures, machine: thisMachine() });
    expect(bars.filter(({ holds }) => !holds)).toEqual([]);
    expect(sizes.clusters.size).toBe(6);
    expect(figures.clusterEvents?.max).toBeLessThanOrEqual(150);
  } finally {
    await engine.close();
  }
});
