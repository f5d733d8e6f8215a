import type { Target } from '../../domain/vocabulary.js';
import { unexplainedCalls } from '../../testbed/base/truth/journal-check.js';
import { openEnvironment, type Environment } from '../activities/environment.js';
import { unguardedWrites } from '../support/guarded-writes.js';
import { bookComplaints } from './book-complaints.js';
import { driveRun, type DrivenRun } from './drive-run.js';
import { struckIndexes, type Turn } from './struck-indexes.js';

export const API_FAULTS = [
  ...(['conflict', 'throttle', 'serverError', 'resetBefore'] as const),
  ...(['resetAfter', 'hang', 'staleRead', 'truncate'] as const),
];
export type ApiFault = (typeof API_FAULTS)[number];

/** Which requests of a run are struck: see `struckIndexes`. */
export interface Strikes extends Turn {
  /** Control-plane nodes; 3 by default. */
  readonly nodes?: number;
  readonly fault: ApiFault;
}

export interface Struck {
  /** Indexes of the requests that were struck. */
  readonly indexes: readonly number[];
  readonly requests: number;
  readonly holds: number;
  /** Everything that is not as it must be, as text. */
  readonly complaints: readonly string[];
}

/**
 * Real time: how long a response is waited for; everything else waits in simulated time. Short where the fault is that none arrives, and
 * where a throttled request is given up at once, because its Retry-After, a second, is later than its deadline. Not shorter: on a busy
 * machine healthy requests ran out of 300 ms as well, and a run that hardly gets an answer leaves its cluster without an owner for longer
 * than the budget.
 */
const REQUEST_MS = 3000;
const SHORT_REQUEST_MS: Partial<Record<ApiFault, number>> = { hang: 900, throttle: 900 };
/** A process that has just won a Lease runs its loops only a moment later. */
const LOOPS_BEGIN_MS = 2000;

const RENEW_MS = 5000;
/** Three renewals, a clock that is read to the second, and a write in progress. */
const GUARDED_MS = 3 * RENEW_MS + 2000;

/** The default of a policy: on one node no standby exists while request after request is struck. */
const ORPHAN_BUDGET_MS = 45_000;

/** One cluster forward and back, with every `stride`-th request struck; null strikes none. */
export async function strikeRun(strikes: Strikes | null): Promise<Struck> {
  const environment = await openEnvironment({
    spec: { nodes: strikes?.nodes ?? 3 },
    timings: {
      requestMs: (strikes && SHORT_REQUEST_MS[strikes.fault]) ?? REQUEST_MS,
      ...{ fenceRenewMs: RENEW_MS, guardMs: 2000 },
    },
    policy: { orphanBudgetMs: ORPHAN_BUDGET_MS },
  });
  try {
    await arm(environment, strikes);
    const directions: DrivenRun[] = [];
    const complaints: string[] = [];
    for (const target of ['ccm', 'kcm'] as const) {
      const runId = `run-${target}`;
      const direction = await driveRun(environment, {
        target,
        runId,
        ccmManifest: environment.ccmManifest,
      });
      directions.push(direction);
      await environment.takePart(() => environment.clock.sleep(LOOPS_BEGIN_MS));
      complaints.push(
        ...directionComplaints(target, direction, strikes?.fault ?? null),
        ...sideComplaints(environment, target),
      );
    }
    const journal = await environment.journal();
    return {
      indexes: journal.filter(({ fault }) => fault !== '').map(({ index }) => index),
      requests: journal.length,
      holds: directions.flatMap(({ holds }) => holds).length,
      complaints: [
        ...complaints,
        ...(await bookComplaints(environment, ['run-ccm', 'run-kcm'], journal)),
        ...unguardedWrites(journal, GUARDED_MS),
      ],
    };
  } finally {
    await environment.close();
  }
}

async function arm(environment: Environment, strikes: Strikes | null): Promise<void> {
  const requests =
    strikes === null
      ? []
      : struckIndexes(strikes).map((index) => ({ index, fault: strikes.fault }));
  await environment.control('POST', 'faults', { requests });
}

function directionComplaints(
  target: Target,
  { outcome, breaches }: DrivenRun,
  fault: ApiFault | null,
): readonly string[] {
  const wanted = outcome.kind === 'done' || outcome.kind === 'rolledBack';
  return [
    ...(wanted ? [] : [`${target}: ended as ${outcome.kind}: ${outcome.summary}`]),
    ...breaches
      // After a stale look a step is decided again, and finds itself done: the books tell that it acted once.
      .filter(({ invariant }) => fault !== 'staleRead' || invariant !== 'I6')
      .map(({ invariant, point, seen }) => `${target}: ${invariant} at ${String(point)}: ${seen}`),
  ];
}

/** Ground truth of the simulator's processes: at most one owner at any time, and the wanted one in the end. */
function sideComplaints({ cluster }: Environment, target: Target): readonly string[] {
  const truth = cluster.truth();
  const calls = unexplainedCalls(truth, cluster.cloudJournal());
  return [
    ...Object.entries(truth.controllers).flatMap(([name, { overlapSeconds, intervals }]) => {
      const owners = intervals.at(-1)?.owners ?? [];
      const right = owners.length === 1 && owners[0]?.startsWith(`${target}:`) === true;
      return [
        ...(overlapSeconds === 0 ? [] : [`${name} had two owners for ${String(overlapSeconds)} s`]),
        ...(right
          ? []
          : [`${name} is owned by ${owners.join(' and ') || 'no manager'}, not the ${target}`]),
      ];
    }),
    ...(calls.length === 0
      ? []
      : [`${String(calls.length)} cloud calls by managers that own nothing`]),
  ];
}
