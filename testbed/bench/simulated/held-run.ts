import { setTimeout as sleep } from 'node:timers/promises';
import { isMoving } from '../../../domain/fleet/fleet-rows.js';
import type { Row } from '../../../domain/fleet/fleet-state.js';
import type { FleetOfRun } from './fleet-texts.js';
import { boundOfShare, countedSince, readHistogram, type Histogram } from './gap-histogram.js';
import { openSockets } from './open-sockets.js';
import { openSetup, type ProductSetup, type SetupContext } from './product-setup.js';
import { replayMs } from './replayed-histories.js';
import { fencedWithin } from './request-account.js';
import { allEnded, simulatedNow, startRunningFleet, type RunningFleet } from './running-fleet.js';
import {
  journalFigures,
  percentEach,
  type CpuSpent,
  type HeldFigures,
  type SimulatedFigures,
} from './simulated-figures.js';
import type { SimulatedParameters } from './simulated-options.js';
import { openCpuMeter, type CpuMeter } from './spent-cpu.js';
import { GUARD_GAP_METRIC } from './whole-run.js';

const WITHIN_MS = 60 * 60_000;

/** What the worker is like at a moment at which nothing moves. */
interface Rest {
  readonly spent: CpuSpent;
  readonly heapBytes: number;
  readonly sockets: number;
}

/**
 * Run `held`: a fleet whose clusters all wait for the approval of their handover, and beside it one that moves as many as it may
 * for some time. Two clusters migrate first, so that what a worker needs once is there before anything is compared.
 */
export async function measureHeld(
  parameters: SimulatedParameters,
  context: SetupContext,
): Promise<SimulatedFigures> {
  const { held } = parameters;
  const { report } = context;
  const fleets = fleetsOf(parameters);
  const setup = await openSetup([fleets.warm, fleets.held, fleets.moving], context);
  try {
    const meter = openCpuMeter(setup);
    const warm = await startRunningFleet(setup, fleets.warm, report);
    await awaited(warm, allEnded, 'the first clusters have not migrated');
    const idle = await atRest(setup, meter, parameters);
    const waiting = await startRunningFleet(setup, fleets.held, report);
    const isHeld = (rows: readonly Row[]): boolean => rows.every(({ phase }) => phase === 'parked');
    await awaited(waiting, isHeld, 'not all clusters wait for their approval');
    const resting = await atRest(setup, meter, parameters);
    const moved = await measureMoving(setup, meter, fleets.moving, parameters, report);
    const { spent, movingMs, windowMs } = moved;
    const meanMoving = movingMs / windowMs;
    return {
      ...moved.figures,
      ...{ cpu: null, workerPeakMiB: meter.workerPeakMiB() },
      replayMs: await replayMs(setup.client),
      held: {
        ...{ seconds: spent.seconds, meanMoving },
        heldPercent: percentEach(resting.spent, idle.spent, held),
        movingPercent: percentEach(spent, resting.spent, meanMoving),
        heapKiB: (resting.heapBytes - idle.heapBytes) / 1024 / held,
        sockets: (resting.sockets - idle.sockets) / held,
      } satisfies HeldFigures,
    };
  } finally {
    await setup.close();
  }
}

/** A migration takes longer; so many times as many clusters as move at once have to be there. */
const SHORTEST_SECONDS = 40;
const WARM = 2;

function fleetsOf({
  clusters,
  held,
  seconds,
  soakSeconds,
  ...limits
}: SimulatedParameters): Readonly<Record<'warm' | 'held' | 'moving', FleetOfRun>> {
  const { inFlight, unproven, budget, zoneCap } = limits;
  const shared = { soakSeconds, forward: 'inPlace', waits: false } as const;
  const many = Math.min(20, held);
  return {
    warm: {
      ...{ ...shared, fleet: 'warm', count: WARM },
      rollout: { failureBudget: { clusters: WARM } },
    },
    held: {
      ...{ ...shared, fleet: 'held', count: held, waits: true },
      rollout: {
        ...{ inFlight: many, slowStart: many, unproven: held, stalledFor: '10s' },
        failureBudget: { clusters: held },
      },
    },
    moving: {
      ...{ ...shared, fleet: 'moving' },
      count: clusters * (1 + Math.ceil(seconds / SHORTEST_SECONDS)),
      rollout: {
        ...{ inFlight, unproven, slowStart: inFlight, caps: { zone: zoneCap } },
        failureBudget: { clusters: budget },
      },
    },
  };
}

async function awaited(
  fleet: RunningFleet,
  until: (rows: readonly Row[]) => boolean,
  complaint: string,
): Promise<void> {
  if (!(await fleet.follow(until, WITHIN_MS))) throw new Error(complaint);
}

/** Guards observe every 10 s then. */
const SETTLED_MS = 20_000;
const SHORTEST_REST_MS = 30_000;
const LONGEST_REST_MS = 120_000;

/** The heap is read last, because a collection of garbage costs CPU time. */
async function atRest(
  { worker, simulatorPort }: ProductSetup,
  meter: CpuMeter,
  { seconds }: SimulatedParameters,
): Promise<Rest> {
  await sleep(SETTLED_MS);
  const end = meter.begin();
  await sleep(Math.max(SHORTEST_REST_MS, Math.min(LONGEST_REST_MS, (seconds * 1000) / 5)));
  const spent = end();
  const sockets = openSockets(worker.child.pid, simulatorPort);
  return { spent, sockets, heapBytes: await worker.liveHeap() };
}

interface Moved {
  readonly figures: Omit<SimulatedFigures, 'cpu' | 'workerPeakMiB' | 'replayMs' | 'held'>;
  readonly spent: CpuSpent;
  /** Of all clusters together, and of the window, on the simulator's clock. */
  readonly movingMs: number;
  readonly windowMs: number;
}

/** From the moment when all slots are taken until the time is over, or no cluster is left that could start. */
async function measureMoving(
  setup: ProductSetup,
  meter: CpuMeter,
  settings: FleetOfRun,
  { inFlight, seconds }: SimulatedParameters,
  report: (line: string) => void,
): Promise<Moved> {
  const gaps = async (): Promise<Histogram> =>
    readHistogram(await setup.worker.metrics(), GUARD_GAP_METRIC);
  const fleet = await startRunningFleet(setup, settings, report);
  const isFull = (rows: readonly Row[]): boolean => rows.filter(isMoving).length >= inFlight;
  await awaited(fleet, isFull, 'the slots of the fleet are never all taken');
  const [before, fromMs, end] = [await gaps(), await simulatedNow(setup), meter.begin()];
  report(`measuring for ${seconds} s`);
  const isEmpty = (rows: readonly Row[]): boolean => rows.every(({ phase }) => phase !== 'waiting');
  if (await fleet.follow(isEmpty, seconds * 1000)) report('no cluster is left that could start');
  const [spent, toMs, after] = [end(), await simulatedNow(setup), await gaps()];
  const accounts = await fleet.accounts();
  return {
    figures: {
      seconds: (Date.now() - fleet.startedMs) / 1000,
      ...journalFigures(accounts, toMs),
      guardGapP99: boundOfShare(countedSince(before, after), 0.99),
    },
    ...{ spent, windowMs: toMs - fromMs, movingMs: fencedWithin(accounts, { fromMs, toMs }) },
  };
}
