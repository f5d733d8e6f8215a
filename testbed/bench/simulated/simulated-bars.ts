import { atLeast, atMost, exactly, type Bar } from '../stated-bars.js';
import type { RunName, SimulatedParameters } from './simulated-options.js';
import type { HeldFigures, SimulatedFigures } from './simulated-figures.js';

/** What bars are about. */
export interface SimulatedRun {
  readonly parameters: SimulatedParameters;
  readonly figures: SimulatedFigures;
}

/** CPU seconds of one cluster. */
const CPU_LIMITS = {
  'in-place': { worker: 1.1, server: 0.9 },
  replace: { worker: 1.4, server: 1 },
} as const;

/** The bars of a run, whatever its size. A small run pays for what a process needs once with few clusters. */
export function simulatedBars(run: SimulatedRun): readonly Bar[] {
  return [...limitBars(run), ...costBars(run), ...heldBars(run)];
}

function limitBars({ parameters, figures }: SimulatedRun): readonly Bar[] {
  const { run, clusters, inFlight, unproven, budget, zoneCap } = parameters;
  const { most, burnt, overlapSeconds, migrated } = figures;
  return [
    // In run `held` as many move as there is time for.
    ...(run === 'held' ? [] : [exactly('clusters migrated', migrated, clusters)]),
    atMost('seconds with two owners', overlapSeconds, 0),
    atMost('clusters changing at once', most.changing, inFlight),
    atMost('clusters changing at once in one zone', most.changingInZone, zoneCap),
    atMost('clusters unproven at once', most.unproven, unproven),
    atMost('clusters burnt', burnt, budget),
  ];
}

function costBars({ parameters: { run }, figures }: SimulatedRun): readonly Bar[] {
  const { cpu, stepRequests, replayMs } = figures;
  return [
    ...(run === 'held' ? [] : cpuBars(run, cpu)),
    ...(run === 'in-place'
      ? [atMost('API requests of a migration, mean, without its guard', stepRequests?.mean, 160)]
      : []),
    atMost('ms of CPU for a replay', replayMs, 60),
  ];
}

function cpuBars(run: Exclude<RunName, 'held'>, cpu: SimulatedFigures['cpu']): readonly Bar[] {
  const { worker, server } = CPU_LIMITS[run];
  return [
    atMost('CPU-s of the worker for a cluster', cpu?.worker, worker),
    atMost('CPU-s of the server for a cluster', cpu?.server, server),
  ];
}

/** The mean of clusters that move sinks a little whenever one ends and the next begins. */
const MOVING_SHARE = 0.9;

function heldBars({ parameters, figures }: SimulatedRun): readonly Bar[] {
  const { run, clusters, seconds } = parameters;
  if (run !== 'held') return [];
  const held: Partial<HeldFigures> = figures.held ?? {};
  return [
    atLeast('seconds with all clusters', held.seconds, seconds),
    atLeast('clusters moving, mean', held.meanMoving, MOVING_SHARE * clusters),
    atMost('% of a core for a cluster that moves, worker', held.movingPercent?.worker, 1.2),
    atMost('% of a core for a held cluster, worker', held.heldPercent?.worker, 0.1),
    atMost('KiB of live heap for a held cluster', held.heapKiB, 350),
    atMost('sockets for a held cluster', held.sockets, 2),
    atMost('s between observations of a guard, p99', figures.guardGapP99, 1.5),
  ];
}
