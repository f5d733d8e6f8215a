import { boundOfShare, readHistogram } from './gap-histogram.js';
import { openSetup, type SetupContext } from './product-setup.js';
import { replayMs } from './replayed-histories.js';
import { allEnded, startRunningFleet } from './running-fleet.js';
import { journalFigures, type CpuSpent, type SimulatedFigures } from './simulated-figures.js';
import type { SimulatedParameters } from './simulated-options.js';
import { openCpuMeter } from './spent-cpu.js';

/** Name and unit as the worker shows it. */
export const GUARD_GAP_METRIC = 'ccm_migrate_guard_gap_seconds';

const FLEET = 'moving';

/** A fleet that takes so long for each cluster will not end. */
const LONGEST_MS = 10 * 60_000;
const LONGEST_EACH_MS = 60_000;

/** Run `in-place` and `replace`: one fleet from its start to its end. */
export async function measureWhole(
  parameters: SimulatedParameters,
  context: SetupContext,
): Promise<SimulatedFigures> {
  const { clusters: count, run, soakSeconds } = parameters;
  const { inFlight, unproven, budget, zoneCap } = parameters;
  const { report } = context;
  const setup = await openSetup([{ fleet: FLEET, count }], context);
  try {
    const meter = openCpuMeter(setup);
    let end: () => CpuSpent = meter.begin();
    const settings = {
      ...{ fleet: FLEET, count, soakSeconds, waits: false },
      forward: run === 'replace' ? 'replace' : 'inPlace',
      rollout: {
        ...{ inFlight, unproven: Math.max(unproven, inFlight), caps: { zone: zoneCap } },
        failureBudget: { clusters: budget },
      },
    } as const;
    const fleet = await startRunningFleet(setup, settings, report, () => {
      // The plan is made by the command line; the worker has no part in it.
      end = meter.begin();
      return Promise.resolve();
    });
    const isOver = await fleet.follow(allEnded, LONGEST_MS + LONGEST_EACH_MS * count);
    if (!isOver) report('the fleet has not ended in time');
    const spent = end();
    const gaps = readHistogram(await setup.worker.metrics(), GUARD_GAP_METRIC);
    return {
      seconds: spent.seconds,
      ...journalFigures(await fleet.accounts(), Infinity),
      cpu: { worker: spent.worker / count, server: spent.server / count },
      workerPeakMiB: meter.workerPeakMiB(),
      guardGapP99: boundOfShare(gaps, 0.99),
      replayMs: await replayMs(setup.client),
      held: null,
    };
  } finally {
    await setup.close();
  }
}
