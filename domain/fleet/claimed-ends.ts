import type { FleetEvent, MemberReport, ReportKind } from './fleet-events.js';
import type { FleetState, Row } from './fleet-state.js';
import { isUnproven } from './fleet-rows.js';

type End = Extract<ReportKind, { kind: 'ended' }>;
type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'atMs'> : never;
type Swept = Extract<FleetEvent, { kind: 'swept' }>;
type Described = Pick<Swept, 'row' | 'grant'>;

/**
 * An end that a report claims. A report is a signal, which everyone may send who can write to the namespace; an end opens waves, gives
 * slots away and counts as a proof. So the run itself is described before it counts.
 */
export interface ClaimedEnd {
  readonly report: MemberReport & { readonly what: End };
  /** How often the run was described, and was open. */
  readonly tries: number;
  /** When it is described next. */
  readonly dueMs: number;
}

/**
 * What becomes of a report. `void`: of no row and grant in flight, or told before. `early`: its run has not been started as far as the
 * fleet knows, so that it waits for the answer. `claim`: an end, to be confirmed.
 */
export function hearing(
  state: FleetState,
  report: MemberReport,
  unstarted: readonly number[],
): 'void' | 'early' | 'claim' | 'counts' {
  const row = inFlight(state, report);
  if (row === null || report.fleetRun !== state.fleetRun || report.sequence <= row.sequence)
    return 'void';
  if (unstarted.includes(report.row)) return 'early';
  return report.what.kind === 'ended' ? 'claim' : 'counts';
}

function inFlight({ rows }: FleetState, { row: index, grant }: Described): Row | null {
  const row = rows[index];
  return row !== undefined && row.grant === grant && isUnproven(row) ? row : null;
}

/** So many reports that came before the answer to their start are kept for a row; a run sends fewer. */
const KEPT_EARLY = 8;

export function withEarly(
  early: readonly MemberReport[],
  report: MemberReport,
): readonly MemberReport[] {
  const ofRow = early.filter(({ row }) => row === report.row);
  return ofRow.length < KEPT_EARLY ? [...early, report] : early;
}

/** One for each row. A later one takes its place and its turn: a claim that is repeated has the run described no more often. */
export function withClaim(
  claims: readonly ClaimedEnd[],
  report: MemberReport,
  nowMs: number,
): readonly ClaimedEnd[] {
  const { what } = report;
  if (what.kind !== 'ended') return claims;
  const known = claims.find((each) => each.report.row === report.row);
  const others = claims.filter((each) => each !== known);
  const { tries, dueMs } = known ?? { tries: 0, dueMs: nowMs };
  return [...others, { report: { ...report, what }, tries, dueMs }];
}

/** Rows whose run must be described now. */
export function dueClaims(
  state: FleetState,
  claims: readonly ClaimedEnd[],
  nowMs: number,
): readonly number[] {
  return claims
    .filter(({ report, dueMs }) => dueMs <= nowMs && inFlight(state, report) !== null)
    .map(({ report }) => report.row);
}

/** A run reports its end just before it closes. */
const AGAIN_AFTER_MS = 500;
/** After about a minute the claim is given up; a run that ends later is found when it has been silent for long enough. */
const MOST_TRIES = 7;

/** What describing runs proves, and the claims that are left. */
export function settleClaims(
  claims: readonly ClaimedEnd[],
  described: {
    readonly at: readonly Described[];
    readonly found: readonly Pick<Swept, 'row' | 'grant' | 'found'>[];
  },
  nowMs: number,
): { readonly claims: readonly ClaimedEnd[]; readonly events: readonly WithoutTime<FleetEvent>[] } {
  const isFound = ({ report }: ClaimedEnd): boolean =>
    described.found.some((each) => isSame(each, report));
  return {
    events: described.found.map((each) =>
      provenBy(
        each,
        claims.find(({ report }) => isSame(each, report)),
      ),
    ),
    claims: claims
      .filter((claim) => !isFound(claim))
      .map((claim) =>
        described.at.some((each) => isSame(each, claim.report)) ? triedAgain(claim, nowMs) : claim,
      )
      .filter(({ tries }) => tries <= MOST_TRIES),
  };
}

function isSame(one: Described, other: Described): boolean {
  return one.row === other.row && one.grant === other.grant;
}

function triedAgain(claim: ClaimedEnd, nowMs: number): ClaimedEnd {
  const { tries } = claim;
  return { ...claim, tries: tries + 1, dueMs: nowMs + AGAIN_AFTER_MS * 2 ** tries };
}

/** The report says more than the run's outcome: its cause, and who asked. Where the two differ the outcome counts alone. */
function provenBy(
  swept: Pick<Swept, 'row' | 'grant' | 'found'>,
  claim: ClaimedEnd | undefined,
): WithoutTime<FleetEvent> {
  const { found } = swept;
  if (claim === undefined || found.kind !== 'ended') return { kind: 'swept', ...swept };
  const { report } = claim;
  const { what } = report;
  if (what.outcome !== found.outcome) return { kind: 'swept', ...swept };
  const changed = what.changed || found.changed;
  return { kind: 'report', report: { ...report, what: { ...what, changed } } };
}
