import { USER_AGENTS } from '../../../config/names.js';
import type { EvidenceIntent } from '../../../domain/evidence/record.js';
import type { SimulatedRequest } from '../../demo/simulator-control.js';
import type { Situation } from './brake-draws.js';

/** What the run did when the signal came; after a soak nothing is left to write. */
export type RunPhase = 'changing' | 'waiting' | 'soaking';

/** One run, by the simulator's journal and the run's evidence. Milliseconds are from the signal. */
export interface BrakeAccount {
  readonly situation: Situation;
  readonly phase: RunPhase;
  /** The step in flight at the signal; empty between two. */
  readonly step: string;
  /** The last new write; null when none came after the signal. */
  readonly lastNewMs: number | null;
  /** Its step, and what it changed. */
  readonly lastNew: string;
  readonly newWrites: number;
  /** Further writes of a step that had begun to write, where a bad sign lets a step finish. */
  readonly finishing: number;
  /** Writes of repairs that end the very harm. */
  readonly cures: number;
  /** When the fence said it, so that nothing new could begin; null when it never did. */
  readonly closedMs: number | null;
  /** Whether the run stood still because of it, or its fence refused to the end. */
  readonly isStopped: boolean;
  /** What the run said of itself then. */
  readonly end: string;
}

export interface BrakeFacts extends Pick<
  BrakeAccount,
  'situation' | 'phase' | 'step' | 'isStopped' | 'end'
> {
  /** On the simulator's clock. */
  readonly signalAtMs: number;
  /** The fence was first seen with the finding at this moment; null when it never was. */
  readonly seenClosedAtMs: number | null;
  /** The harm was over; what a run writes after that is none of this. Null while it lasts. */
  readonly overAtMs: number | null;
  readonly journal: readonly SimulatedRequest[];
  readonly intents: readonly EvidenceIntent[];
  /** When each execution of a step was scheduled, on the worker's clock. */
  readonly stepBegins: readonly number[];
  /** What the simulator's clock is ahead of the worker's. */
  readonly aheadMs: number;
}

const FENCE = 'ccm-migrate';

/** Steps that end two owners: source is what their rules cure (domain/decision/steps/repairs.ts). */
export const CURES: Readonly<Record<Situation, readonly string[]>> = {
  secondOwner: ['stopSecondOwner', 'isolateUnprotectedCcm', 'isolateUnprotectedKcm'],
  pausedOwner: [],
  pausedInHold: [],
  cloudRefuses: [],
};

/**
 * Counts what a run wrote after the signal. A hard gate stops a step between two writes, so that each later one is new. A gate on
 * metrics or objects stops a run between two steps: the first write of a step is new, and the others are its end.
 */
export function brakeAccount(facts: BrakeFacts): BrakeAccount {
  const { situation, phase, step, isStopped, end, signalAtMs, journal } = facts;
  const writes = journal.filter(isStepWrite).map(({ atMs, verb, resource, name }) => ({
    ...{ atMs, step: stepAt(facts, atMs), what: `${verb} ${resource} ${name}` },
  }));
  const untilMs = facts.overAtMs ?? Infinity;
  const later = writes.filter(({ atMs }) => atMs > signalAtMs && atMs <= untilMs);
  const cures = later.filter((write) => CURES[situation].includes(write.step.name));
  const finishing =
    situation === 'cloudRefuses'
      ? later.filter((write) => firstOf(writes, write.step.execution) !== write)
      : [];
  const fresh = later.filter((write) => !cures.includes(write) && !finishing.includes(write));
  const last = fresh.at(-1);
  return {
    ...{ situation, phase, step, end },
    // A run may go on once the harm is over.
    isStopped: isStopped || facts.overAtMs !== null,
    lastNewMs: last === undefined ? null : last.atMs - signalAtMs,
    lastNew: last === undefined ? '' : `${last.step.name}: ${last.what}`,
    ...{ newWrites: fresh.length, finishing: finishing.length, cures: cures.length },
    closedMs: closedMs(facts),
  };
}

/** A request of a step that changes anything; the fence itself is none. */
function isStepWrite({ userAgent, mutating, resource, name }: SimulatedRequest): boolean {
  const isFence = resource === 'leases' && name === FENCE;
  return userAgent === USER_AGENTS.steps && mutating && !isFence;
}

interface StepOfWrite {
  readonly name: string;
  /** Two executions of one step, on two nodes, have different numbers. */
  readonly execution: number;
}

/** The step whose intent was recorded last before the request: evidence comes before the write. */
function stepAt({ intents, stepBegins, aheadMs }: BrakeFacts, atMs: number): StepOfWrite {
  const workersMs = atMs - aheadMs + CLOCKS_MS;
  return {
    name: intents.findLast(({ at }) => Date.parse(at) <= workersMs)?.step ?? '',
    execution: stepBegins.findLastIndex((begunMs) => begunMs <= workersMs),
  };
}

function firstOf<W extends { readonly step: StepOfWrite }>(
  writes: readonly W[],
  execution: number,
): W | undefined {
  return writes.find(({ step }) => step.execution === execution);
}

/** Two clocks of one machine, read one after the other. */
const CLOCKS_MS = 5;

/** The guard's write that the fence was seen with; an owner may be seen before it begins to run its controllers. */
function closedMs({ journal, signalAtMs, seenClosedAtMs }: BrakeFacts): number | null {
  if (seenClosedAtMs === null) return null;
  const write = journal.findLast(
    ({ atMs, userAgent, mutating, name }) =>
      userAgent === USER_AGENTS.guard && mutating && name === FENCE && atMs <= seenClosedAtMs,
  );
  return Math.max(0, (write?.atMs ?? seenClosedAtMs) - signalAtMs);
}
