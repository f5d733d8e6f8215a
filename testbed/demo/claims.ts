import { OWNED } from '../base/truth/truth.js';
import type { DirectionRun, LoopTruth } from './direction-run.js';
import type { Expectation } from './variant.js';

/** One claim that the demo makes, and what was observed. */
export interface Claim {
  readonly claim: string;
  readonly holds: boolean;
  readonly seen: string;
}

/**
 * Each gap's beginning and end are seen at most one observation late, so its length is off by one observation at most;
 * in seconds of the environment's clock.
 */
function agreementTolerance(
  { guardMs, observationMs, speed }: ClaimContext,
  moves: number,
): number {
  return (Math.max(moves, 1) * (guardMs + observationMs) * speed) / 1000;
}

export interface ClaimContext {
  readonly guardMs: number;
  /** How long one observation of the guard may take on a busy machine. */
  readonly observationMs: number;
  readonly speed: number;
  /** Whose ground truth the product's report is compared with: `the simulator`, `the lab`. */
  readonly environment: string;
  readonly expected: Expectation;
}

/** Everything that must hold for the demo to pass. */
export function claimsOf(
  { forward, back, turned }: DemoRuns,
  context: ClaimContext,
): readonly Claim[] {
  return [
    ended('forward: the CCM owns the cloud controllers', forward, 'ccm:'),
    ended('rollback: the KCMs own them again, in-tree', back, 'kcm:'),
    ...[forward, back].map(noOverlap),
    ...moves(forward, context.expected),
    longestOrphan(forward, context.expected),
    ...sourcesAgree(back, context),
    ...[forward, back].map((direction) => agreement(direction, context)),
    ...[forward, back].map(asPlanned),
    ...(turned === undefined ? [] : [turnedByGate(turned), noOverlap(turned)]),
  ];
}

/** The runs of a demo that has come to its end. */
export interface DemoRuns {
  readonly forward: DirectionRun;
  readonly back: DirectionRun;
  /** The one that a gate turned around; undefined where no cloud could be broken. */
  readonly turned?: DirectionRun | undefined;
}

/** Without a word of a person: the gate that failed in the soak is why the KCMs own the controllers again. */
function turnedByGate(turned: DirectionRun): Claim {
  const claim = 'a gate: the cloud failed, and the run turned around by itself';
  const { holds, seen } = ended(claim, turned, 'kcm:');
  return {
    claim,
    holds: holds && turned.turnedBy !== '',
    seen: `${seen}; ${turned.turnedBy === '' ? 'no gate failed' : turned.turnedBy}`,
  };
}

function loops(direction: DirectionRun): readonly (readonly [string, LoopTruth])[] {
  return OWNED.map((name) => [name, direction.truth[name]]);
}

function ended(claim: string, direction: DirectionRun, prefix: string): Claim {
  const owners = loops(direction).map(([, { owners: own }]) => own);
  const right = owners.every((own) => own.length === 1 && own[0]?.startsWith(prefix) === true);
  const good = direction.outcome?.kind === 'done' || direction.outcome?.kind === 'rolledBack';
  const names = [...new Set(owners.flat())].join(', ');
  return {
    claim,
    holds: right && good,
    seen: `${direction.outcome?.kind ?? 'not ended'}; owned by ${names === '' ? 'no manager' : names}`,
  };
}

function noOverlap(direction: DirectionRun): Claim {
  const worst = Math.max(...loops(direction).map(([, { overlapSeconds }]) => overlapSeconds));
  return {
    claim: `${direction.name}: never two owners`,
    holds: worst === 0,
    seen: `two owners for ${worst.toFixed(1)} s`,
  };
}

function moves(direction: DirectionRun, { forwardMoves }: Expectation): readonly Claim[] {
  if (forwardMoves === null) return [];
  const counts = loops(direction).map(([, { moves: count }]) => count);
  return [
    {
      claim: `${direction.name}: ${forwardMoves} leadership moves`,
      holds: counts.every((count) => count === forwardMoves),
      seen: counts.join(', '),
    },
  ];
}

function longestOrphan(direction: DirectionRun, { longestOrphanSeconds }: Expectation): Claim {
  const longest = Math.max(
    0,
    ...loops(direction).flatMap(([, { orphans }]) => orphans.map((one) => one.seconds)),
  );
  return {
    claim: `${direction.name}: at most ${longestOrphanSeconds} s without owner in each move`,
    holds: longest <= longestOrphanSeconds,
    seen: `longest ${longest.toFixed(1)} s`,
  };
}

/**
 * Sources that contradict each other prove nothing, whatever each one reports. The last account covers both directions.
 */
function sourcesAgree({ sources }: DirectionRun, { environment }: ClaimContext): readonly Claim[] {
  if (sources === null) return [];
  const { contradictions, told } = sources;
  return [
    {
      claim: `${environment}'s sources do not contradict each other`,
      holds: contradictions.length === 0,
      seen: contradictions.length === 0 ? told : contradictions.join('; '),
    },
  ];
}

/** The product's own report against the ground truth. */
function agreement(direction: DirectionRun, context: ClaimContext): Claim {
  const { speed, environment } = context;
  const claim = `${direction.name}: the product's report agrees with ${environment}`;
  const guard = direction.outcome?.guard ?? null;
  if (guard === null) return { claim, holds: false, seen: 'the guard reported nothing' };
  const real = Math.max(...loops(direction).map(([, { orphanSeconds }]) => orphanSeconds));
  const reported = guard.orphanSeconds * speed;
  const apart = Math.abs(real - reported);
  const tolerance = agreementTolerance(context, guard.moves);
  return {
    claim,
    holds: apart <= tolerance && guard.overlapSeconds === 0,
    seen: `no owner ${reported.toFixed(1)} s reported, ${real.toFixed(1)} s real: ${apart.toFixed(1)} s apart (tolerance ${tolerance.toFixed(1)} s)`,
  };
}

/** What operators approve is what is done: every manager's file as the plan showed it. */
function asPlanned(direction: DirectionRun): Claim {
  const { files, unplanned } = direction.writes;
  return {
    claim: `${direction.name}: files were written exactly as planned`,
    holds: unplanned.length === 0,
    seen: unplanned.length === 0 ? `${files} files` : `not as planned: ${unplanned.join(', ')}`,
  };
}
