import { lowerBound } from '../../../domain/fleet/lower-bound.js';
import { spreadOf, type Spread } from '../spread.js';
import type { JournalLine } from './bench-journal.js';
import { regionOf, ruleAlone, type DrawnFleet } from './drawn-fleet.js';
import type { FollowedBench } from './follow-bench.js';
import type { HistorySizes } from './history-sizes.js';
import { accountsOf, mostOverlapping, stepsBegun, type BenchAccount } from './journal-account.js';
import { barrierMs, poolMs } from './other-schedulers.js';

/** What one run of the benchmark measured. */
export interface FleetFigures {
  /** From the start of the fleet to its end. */
  readonly seconds: number;
  /** The rule alone on the same durations, where no message takes any time. */
  readonly ruleSeconds: number;
  /** No schedule is faster, by the journal alone. */
  readonly boundSeconds: number;
  /** Waves with a barrier, and a plain pool without soaks, on the same durations. */
  readonly barrierSeconds: number;
  readonly poolSeconds: number;
  /** Clusters by the journal. */
  readonly proven: number;
  readonly burnt: number;
  readonly changedInFirstRegion: number;
  /** Rows of the fleet's own last state, by phase; null when it could not be read. */
  readonly phases: Readonly<Record<string, number>> | null;
  /** Most at once, by the journal. */
  readonly mostMoving: number;
  readonly mostMovingInRegion: number;
  readonly mostUnproven: number;
  /** Events of each cluster's histories, and of each execution of the fleet. */
  readonly clusterEvents: Spread | null;
  readonly fleetEvents: Spread | null;
  readonly workerPeakMiB: number;
  readonly workerCpuSeconds: number;
  readonly serverCpuSeconds: number;
  /** How long readings of the fleet's state took. */
  readonly readMs: { readonly p50: number; readonly p95: number; readonly count: number };
  readonly killed: readonly string[];
  /** Null without that drill. */
  readonly pause: { readonly moving: number; readonly stepsLater: number } | null;
}

/** All figures of one run, from the journal, the server's histories and what was sampled. */
export function figuresOf(
  fleet: DrawnFleet,
  lines: readonly JournalLine[],
  followed: FollowedBench,
  sizes: HistorySizes,
): FleetFigures {
  const { plan, behaviours } = fleet;
  const { inFlight } = plan.policy;
  const accounts = accountsOf(plan.rows, lines);
  return {
    seconds: (followed.endedMs - followed.startedMs) / 1000,
    ruleSeconds: ruleAlone(fleet).state.nowMs / 1000,
    boundSeconds: lowerBound(plan.policy, accounts) / 1000,
    barrierSeconds: barrierMs(behaviours, inFlight) / 1000,
    poolSeconds: poolMs(behaviours, inFlight) / 1000,
    ...countsOf(accounts),
    phases: phasesOf(followed),
    clusterEvents: spreadOf([...sizes.clusters.values()]),
    fleetEvents: spreadOf(sizes.fleet),
    workerPeakMiB: followed.worker.peakMiB(),
    workerCpuSeconds: followed.worker.cpuSeconds(),
    serverCpuSeconds: followed.server.cpuSeconds(),
    readMs: readingsOf(followed.readMs),
    killed: followed.killed,
    pause:
      followed.paused === null
        ? null
        : {
            moving: followed.movingAtPause,
            stepsLater: stepsBegun(lines, followed.paused),
          },
  };
}

type Counts = Pick<
  FleetFigures,
  'proven' | 'burnt' | 'changedInFirstRegion' | 'mostMoving' | 'mostMovingInRegion' | 'mostUnproven'
>;

function countsOf(accounts: readonly BenchAccount[]): Counts {
  const regions = [...new Set(accounts.flatMap(({ groups }) => groups))];
  const movingIn = (group: string): number =>
    mostOverlapping(
      accounts.filter(({ groups }) => groups.includes(group)).flatMap(({ moving }) => moving),
    );
  return {
    proven: accounts.filter(({ proven }) => proven).length,
    burnt: accounts.filter(({ burnt }) => burnt).length,
    changedInFirstRegion: accounts.filter(
      ({ changed, groups }) => changed && groups.includes(regionOf(0)),
    ).length,
    mostMoving: mostOverlapping(accounts.flatMap(({ moving }) => moving)),
    mostMovingInRegion: Math.max(0, ...regions.map(movingIn)),
    mostUnproven: mostOverlapping(accounts.flatMap(({ unproven }) => unproven)),
  };
}

function phasesOf({ state }: FollowedBench): FleetFigures['phases'] {
  if (state === null) return null;
  const phases: Record<string, number> = {};
  for (const { phase } of state.rows) phases[phase] = (phases[phase] ?? 0) + 1;
  return phases;
}

/** Nearest rank. */
function readingsOf(readMs: readonly number[]): FleetFigures['readMs'] {
  const sorted = readMs.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), count: sorted.length };
}
