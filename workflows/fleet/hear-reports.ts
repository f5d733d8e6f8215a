import { log } from '@temporalio/workflow';
import { hearing, settleClaims, withClaim, withEarly } from '../../domain/fleet/claimed-ends.js';
import type { MemberReport } from '../../domain/fleet/fleet-events.js';
import type { FleetMail, UntimedEvent } from './fleet-mailbox.js';
import type { LiveFleet } from './live-fleet.js';

type Tell = (event: UntimedEvent) => void;

/** Rows that are given a slot and whose start has not been answered: no run of theirs is known. */
export function unstartedRows({ starting, outbox }: LiveFleet): readonly number[] {
  return [...starting, ...outbox.starts.map(({ row }) => row)];
}

/** Reports arrive unsigned. Only what is in flight is heard, and an end counts when its run has been described. */
export function hearReport(fleet: LiveFleet, report: MemberReport, tell: Tell): void {
  const { row, grant, what } = report;
  switch (hearing(fleet.state, report, unstartedRows(fleet))) {
    case 'void':
      log.info('a report of nothing in flight is left out', { row, grant, kind: what.kind });
      return;
    case 'early':
      fleet.early = withEarly(fleet.early, report);
      return;
    case 'claim':
      fleet.claims = withClaim(fleet.claims, report, Date.now());
      return;
    case 'counts':
      tell({ kind: 'report', report });
      return;
  }
}

/** What was told before the answer to its start, or to the execution before this one. */
export function hearEarlyReports(fleet: LiveFleet, tell: Tell): void {
  const { early } = fleet;
  fleet.early = [];
  for (const report of early) hearReport(fleet, report, tell);
}

/** What has become of runs that were described: of those that claim their end, and of silent ones. */
export function takeSweep(
  fleet: LiveFleet,
  { report, rows }: Extract<FleetMail, { kind: 'swept' }>,
  tell: Tell,
): void {
  const described = { at: rows, found: report.found };
  const { claims, events } = settleClaims(fleet.claims, described, Date.now());
  fleet.claims = claims;
  fleet.unservedRegions = report.unservedRegions;
  for (const event of events) tell(event);
}
