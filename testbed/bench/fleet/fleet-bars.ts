import type { BenchMachine } from '../bench-machine.js';
import { atMost, exactly, type Bar } from '../stated-bars.js';
import type { FleetParameters } from './drawn-fleet.js';
import type { FleetFigures } from './fleet-figures.js';

/** What bars are about. */
export interface JudgedRun {
  readonly parameters: FleetParameters;
  readonly figures: FleetFigures;
  readonly machine: Pick<BenchMachine, 'cores'>;
}

/** The bars that are stated for these parameters. The limits of the rule hold for all of them. */
export function barsOf(run: JudgedRun): readonly Bar[] {
  return [
    ...limitBars(run),
    ...(isThousand(run) ? thousandBars(run.figures) : []),
    ...(isTenThousand(run) ? tenThousandBars(run) : []),
    ...(isBrokenForty(run) ? brokenBars(run.figures) : []),
  ];
}

const ENDS = ['proven', 'failed', 'back', 'stopped', 'skipped'];

function limitBars({ parameters, figures }: JudgedRun): readonly Bar[] {
  const { inFlight, unproven, budget, regionCap, clusters } = parameters;
  const { phases, proven } = figures;
  const ended = ENDS.reduce((sum, phase) => sum + (phases?.[phase] ?? 0), 0);
  return [
    exactly('clusters ended', ended, clusters),
    exactly(
      'clusters proven by the journal',
      proven,
      phases === null ? null : (phases['proven'] ?? 0),
    ),
    atMost('clusters moving at once', figures.mostMoving, inFlight),
    atMost('clusters unproven at once', figures.mostUnproven, unproven),
    ...(regionCap === null
      ? []
      : [atMost('clusters moving at once in one region', figures.mostMovingInRegion, regionCap)]),
    atMost('clusters burnt', figures.burnt, budget),
  ];
}

const MINUTE_SECONDS = 60;

/** The parameters of the benchmark of 1,000 clusters, whatever the seed. */
const THOUSAND = {
  ...{ clusters: 1000, changeMs: 60_000, soakMs: 60_000, regionCap: null, brokenRegion: false },
  ...{ inFlight: 50, unproven: 100, budget: 120, slowStart: 4 },
} as const satisfies Partial<FleetParameters>;

const TEN_THOUSAND = {
  ...{ clusters: 10_000, steps: 1, changeMs: 30_000, soakMs: 10_000, inFlight: 200 },
  ...{ regionCap: null, brokenRegion: false },
} as const satisfies Partial<FleetParameters>;

function isThousand({ parameters, figures: { killed } }: JudgedRun): boolean {
  return agrees(parameters, THOUSAND) && killed.includes('server') && killed.includes('worker');
}

function isTenThousand({ parameters }: JudgedRun): boolean {
  return agrees(parameters, TEN_THOUSAND);
}

function isBrokenForty({ parameters: { clusters, brokenRegion } }: JudgedRun): boolean {
  return clusters === 40 && brokenRegion;
}

function agrees(parameters: FleetParameters, wanted: Partial<FleetParameters>): boolean {
  const given = new Map<string, unknown>(Object.entries(parameters));
  return Object.entries(wanted).every(([name, value]) => given.get(name) === value);
}

function thousandBars(figures: FleetFigures): readonly Bar[] {
  const { seconds, ruleSeconds, boundSeconds, barrierSeconds, clusterEvents, fleetEvents } =
    figures;
  return [
    atMost('minutes', seconds / MINUTE_SECONDS, 60),
    atMost('times the rule alone', seconds / ruleSeconds, 1.1),
    atMost('times the lower bound', seconds / boundSeconds, 1.25),
    atMost('times waves with a barrier', seconds / barrierSeconds, 1 / 3),
    atMost('events of a cluster, mean', clusterEvents?.mean ?? null, 150),
    atMost('events of one execution of the fleet', fleetEvents?.max ?? null, 3999),
    atMost('MiB of the worker', figures.workerPeakMiB, 1536),
  ];
}

function tenThousandBars({ figures, machine: { cores } }: JudgedRun): readonly Bar[] {
  const { seconds, readMs, pause, workerCpuSeconds, serverCpuSeconds } = figures;
  const cpuSeconds = workerCpuSeconds + serverCpuSeconds;
  return [
    atMost('minutes', seconds / MINUTE_SECONDS, 120),
    atMost('share of the CPU of the machine', cpuSeconds / (seconds * cores), 0.6),
    atMost('ms to read the state of the fleet, p95', readMs.count === 0 ? null : readMs.p95, 1000),
    atMost('steps begun later than 5 s after a pause', pause?.stepsLater ?? null, 0),
  ];
}

/** One region of eight is broken. */
function brokenBars({ changedInFirstRegion, proven }: FleetFigures): readonly Bar[] {
  return [
    atMost('clusters changed in the broken region', changedInFirstRegion, 4),
    exactly('clusters proven', proven, 35),
  ];
}
