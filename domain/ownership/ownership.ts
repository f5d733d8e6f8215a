import type { ClusterObservation } from '../observation/observation.js';
import type { CloudController, Owner } from '../vocabulary.js';
import { staleOwnersOf, isInUse, processKey, runningProcesses } from './owners.js';
import type { ControllerTrace, OwnershipFigures, OwnershipTrace } from './ownership-trace.js';

export function emptyTrace(controllers: readonly CloudController[], atMs: number): OwnershipTrace {
  return {
    atMs,
    controllers: controllers.map((controller) => ({
      controller,
      owners: null,
      staleOwners: null,
      lastOwner: '',
      overlapMs: 0,
      orphanMs: 0,
      orphanNowMs: 0,
      unknownMs: 0,
      moves: 0,
    })),
  };
}

/** Nothing is known from that time on: until the next observation it counts as unknown. */
export function unknownTrace(
  controllers: readonly CloudController[],
  atMs: number,
): OwnershipTrace {
  const { controllers: empty } = emptyTrace(controllers, atMs);
  return { atMs, controllers: empty.map((each) => ({ ...each, staleOwners: [] })) };
}

/**
 * Adds one observation. Between two observations a controller counts as it was at the first of them, until the new owner
 * acquired its Lease (that Lease's acquireTime, clamped to the interval). What the first could not read counts as unknown
 * only. `acquiredAtMs` returns when a holder string acquired its newest Lease, on the node's clock.
 */
export function addObservation(
  trace: OwnershipTrace,
  observation: ClusterObservation,
  acquiredAtMs: (holder: string) => number | null,
): OwnershipTrace {
  const now = observation.observedAtMs;
  return {
    atMs: now,
    controllers: trace.controllers.map((before) => {
      if (!isInUse(observation, before.controller)) return owedNothing(before);
      const running = runningProcesses(observation, before.controller);
      const identity = running?.[0]?.process.identity ?? '';
      const staleOwners = staleOwnersOf(observation, before.controller).map(processKey);
      const proven = inBoth(before, { staleOwners });
      const next = step(before, {
        owners: running === null ? null : [...running.map(processKey), ...proven],
        elapsedMs: Math.max(0, now - trace.atMs),
        takenMs: within(acquiredAtMs(identity), trace.atMs, now),
      });
      return { ...next, staleOwners };
    }),
  };
}

/** Switched off in every manager: it needs no owner, so time without one is neither lost nor unknown. */
function owedNothing(before: ControllerTrace): ControllerTrace {
  return { ...before, owners: null, staleOwners: null, orphanNowMs: 0 };
}

/** Stale owners in both this observation and the previous one. */
export function confirmedStaleOwners(
  before: OwnershipTrace,
  { controllers }: OwnershipTrace,
): readonly string[] {
  const proven = controllers.flatMap((now) => {
    const earlier = before.controllers.find(({ controller }) => controller === now.controller);
    return earlier === undefined ? [] : inBoth(earlier, now);
  });
  return [...new Set(proven)];
}

type StaleOwners = Pick<ControllerTrace, 'staleOwners'>;

/** A single observation proves nothing (`staleOwnersOf`). */
function inBoth({ staleOwners: earlier }: StaleOwners, now: StaleOwners): readonly string[] {
  return (now.staleOwners ?? []).filter((key) => earlier?.includes(key));
}

interface Interval {
  readonly owners: readonly string[] | null;
  readonly elapsedMs: number;
  /** From the first observation to the acquisition by the current owner. */
  readonly takenMs: number;
}

function step(before: ControllerTrace, { owners, elapsedMs, takenMs }: Interval): ControllerTrace {
  const owner = onlyOne(owners);
  const moved = isMove(before.lastOwner, owner);
  const wasDouble = (before.owners?.length ?? 0) > 1;
  const isOrphan = owners?.length === 0;
  const lostForMs = isOrphan ? elapsedMs / 2 : Number(moved) * (takenMs / 2);
  const orphanMs = orphanBetween(before.owners, owner === '' ? elapsedMs : takenMs, lostForMs);
  return {
    ...before,
    owners,
    unknownMs: unknownSoFar(before, elapsedMs),
    lastOwner: owner === '' ? before.lastOwner : owner,
    overlapMs: before.overlapMs + (wasDouble ? elapsedMs : 0),
    orphanMs: before.orphanMs + orphanMs,
    orphanNowMs: isOrphan ? before.orphanNowMs + orphanMs : 0,
    moves: before.moves + (moved ? 1 : 0),
  };
}

/** Before the first observation there is nothing that could have been read. */
function unknownSoFar(
  { owners, staleOwners, unknownMs }: ControllerTrace,
  elapsedMs: number,
): number {
  return owners === null && staleOwners !== null ? unknownMs + elapsedMs : unknownMs;
}

function isMove(last: string, owner: string): boolean {
  return owner !== '' && last !== '' && owner !== last;
}

function onlyOne(owners: readonly string[] | null): string {
  const [owner = '', other] = owners ?? [];
  return other === undefined ? owner : '';
}

/**
 * How long it had no owner between two observations: from the first of them when there was none then. Otherwise it was lost
 * at an unknown moment in between, and half of the interval is the unbiased estimate. What could not be read does not count.
 */
function orphanBetween(
  before: readonly string[] | null,
  sinceFirstMs: number,
  lostForMs: number,
): number {
  if (before === null) return 0;
  return before.length === 0 ? sinceFirstMs : lostForMs;
}

function within(at: number | null, from: number, to: number): number {
  return at === null ? to - from : Math.min(Math.max(at, from), to) - from;
}

/**
 * The same trace after a time without observations: from the last observation on, the owner is unknown, whatever was observed
 * then. A stale owner must again be observed twice in a row before it proves anything.
 */
export function unseenSince(trace: OwnershipTrace): OwnershipTrace {
  const controllers = trace.controllers.map((each) =>
    // Before the first observation there is nothing that could have been missed.
    each.staleOwners === null ? each : { ...each, owners: null, staleOwners: [], orphanNowMs: 0 },
  );
  return { ...trace, controllers };
}

/** The worst controller's figures, in seconds with two decimals. */
export function summarizeTrace({ controllers }: OwnershipTrace): OwnershipFigures {
  const most = (figure: (trace: ControllerTrace) => number): number =>
    Math.max(0, ...controllers.map(figure));
  return {
    overlapSeconds: seconds(most(({ overlapMs }) => overlapMs)),
    orphanSeconds: seconds(most(({ orphanMs }) => orphanMs)),
    unknownSeconds: seconds(most(({ unknownMs }) => unknownMs)),
    moves: most(({ moves }) => moves),
  };
}

/**
 * The owner at the last observation, over all controllers, and on which nodes. `unknown` before the first observation.
 */
export function leaderIn({ controllers }: OwnershipTrace): {
  readonly owner: Owner;
  readonly nodes: readonly string[];
} {
  // A controller that needs no owner says nothing about the others.
  const used = controllers.filter(
    ({ owners, staleOwners }) => owners !== null || staleOwners !== null,
  );
  const owners = used.flatMap((each) => (each.owners === null ? [] : [each.owners]));
  if (owners.length === 0 || owners.length < used.length) return { owner: 'unknown', nodes: [] };
  const keys = [...new Set(owners.flat())];
  const nodes = [...new Set(keys.map((key) => key.replace(/^[^:]*:/, '').replace(/#.*$/, '')))];
  return { owner: ownerOf(owners, keys), nodes };
}

function ownerOf(owners: readonly (readonly string[])[], keys: readonly string[]): Owner {
  if (owners.some(({ length }) => length > 1)) return 'both';
  if (owners.some(({ length }) => length === 0)) return 'none';
  const [side, other] = [...new Set(keys.map((key) => key.split(':')[0]))];
  if (other !== undefined) return 'both';
  return side === 'ccm' ? 'ccm' : 'kcm';
}

/** Longest current time without an owner over all controllers, in ms. */
export function orphanNow({ controllers }: OwnershipTrace): number {
  return Math.max(0, ...controllers.map(({ orphanNowMs }) => orphanNowMs));
}

function seconds(ms: number): number {
  return Math.round(ms / 10) / 100;
}
