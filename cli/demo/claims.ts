import type { Leg, LoopTruth } from './leg.js';
import { CLOUD_LOOPS } from './simulator-control.js';

/** One thing that the demo promises, and what was seen. */
export interface Claim {
  readonly claim: string;
  readonly holds: boolean;
  readonly seen: string;
}

const LONGEST_ORPHAN_SECONDS = 6.5;
const FORWARD_MOVES = 2;

/** How long one look of the guard may take on a busy machine. */
const LOOK_MS = 500;

/** Each gap is seen a look late at its beginning and at its end, so it is off by one look at most; in simulated seconds. */
function agreementTolerance(guardMs: number, moves: number, speed: number): number {
  return (Math.max(moves, 1) * (guardMs + LOOK_MS) * speed) / 1000;
}

export interface ClaimContext {
  readonly guardMs: number;
  readonly speed: number;
}

/** Everything that has to be true for the demo to have passed. */
export function claimsOf(forward: Leg, back: Leg, context: ClaimContext): readonly Claim[] {
  return [
    ended('forward: the CCM owns the cloud controllers', forward, 'ccm:'),
    ended('back: the KCMs own them again, in-tree', back, 'kcm:'),
    ...[forward, back].map(noOverlap),
    moves(forward),
    longestOrphan(forward),
    ...[forward, back].map((leg) => agreement(leg, context)),
    ...[forward, back].map(asPlanned),
  ];
}

function loops(leg: Leg): readonly (readonly [string, LoopTruth])[] {
  return CLOUD_LOOPS.map((name) => [name, leg.truth[name]]);
}

function ended(claim: string, leg: Leg, prefix: string): Claim {
  const owners = loops(leg).map(([, { owners: own }]) => own);
  const right = owners.every((own) => own.length === 1 && own[0]?.startsWith(prefix) === true);
  const good = leg.outcome?.kind === 'done' || leg.outcome?.kind === 'rolledBack';
  const names = [...new Set(owners.flat())].join(', ');
  return {
    claim,
    holds: right && good,
    seen: `${leg.outcome?.kind ?? 'not ended'}; owned by ${names === '' ? 'nobody' : names}`,
  };
}

function noOverlap(leg: Leg): Claim {
  const worst = Math.max(...loops(leg).map(([, { overlapSeconds }]) => overlapSeconds));
  return {
    claim: `${legName(leg)}: never two owners`,
    holds: worst === 0,
    seen: `two owners for ${worst.toFixed(1)} s`,
  };
}

function moves(leg: Leg): Claim {
  const counts = loops(leg).map(([, { moves: count }]) => count);
  return {
    claim: `${legName(leg)}: ${FORWARD_MOVES} leadership moves`,
    holds: counts.every((count) => count === FORWARD_MOVES),
    seen: counts.join(', '),
  };
}

function longestOrphan(leg: Leg): Claim {
  const longest = Math.max(
    0,
    ...loops(leg).flatMap(([, { orphans }]) => orphans.map((one) => one.seconds)),
  );
  return {
    claim: `${legName(leg)}: at most ${LONGEST_ORPHAN_SECONDS} s without owner in each move`,
    holds: longest <= LONGEST_ORPHAN_SECONDS,
    seen: `longest ${longest.toFixed(1)} s`,
  };
}

/** The product's own report against what really happened. */
function agreement(leg: Leg, { guardMs, speed }: ClaimContext): Claim {
  const claim = `${legName(leg)}: the product's report agrees with the simulator`;
  const guard = leg.outcome?.guard ?? null;
  if (guard === null) return { claim, holds: false, seen: 'the guard reported nothing' };
  const real = Math.max(...loops(leg).map(([, { orphanSeconds }]) => orphanSeconds));
  const reported = guard.orphanSeconds * speed;
  const apart = Math.abs(real - reported);
  const tolerance = agreementTolerance(guardMs, guard.moves, speed);
  return {
    claim,
    holds: apart <= tolerance && guard.overlapSeconds === 0,
    seen: `no owner ${reported.toFixed(1)} s reported, ${real.toFixed(1)} s real: ${apart.toFixed(1)} s apart (tolerance ${tolerance.toFixed(1)} s)`,
  };
}

/** What people approve is what is done: every manager's file as the plan had shown it. */
function asPlanned(leg: Leg): Claim {
  const { files, unplanned } = leg.writes;
  return {
    claim: `${legName(leg)}: files were written exactly as planned`,
    holds: unplanned.length === 0,
    seen: unplanned.length === 0 ? `${files} files` : `not planned so: ${unplanned.join(', ')}`,
  };
}

export function legName(leg: Leg): string {
  return leg.target === 'ccm' ? 'forward' : 'back';
}
