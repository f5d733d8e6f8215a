import { getExternalWorkflowHandle, log } from '@temporalio/workflow';
import type { MemberReport } from '../domain/fleet/fleet-events.js';
import { refusedBeforeStart } from '../domain/fleet/member-milestones.js';
import { readMembership } from '../domain/run/read-order.js';
import type { ClusterMigrationInput } from './messages.js';
import { reportSignal } from './messages/fleet-messages.js';

/** Sends reports to fleets one after the other, so that they arrive in order. The run never waits for one but at its end. */
export interface FleetReporter {
  readonly send: (fleetWorkflowId: string, reports: readonly MemberReport[]) => void;
  /** Until all that was given has been sent or has failed. */
  readonly sent: () => Promise<void>;
}

export function createFleetReporter(): FleetReporter {
  let last = Promise.resolve();
  return {
    send: (fleetWorkflowId, reports) => {
      for (const report of reports) last = last.then(() => sendReport(fleetWorkflowId, report));
    },
    sent: () => last,
  };
}

/** A fleet that has ended or never was takes no report: its members go on. */
async function sendReport(fleetWorkflowId: string, report: MemberReport): Promise<void> {
  try {
    await getExternalWorkflowHandle(fleetWorkflowId).signal(reportSignal, report);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    log.warn('the fleet took no report', { fleetWorkflowId, kind: report.what.kind, problem });
  }
}

/** Tells the fleet of a run whose input is refused; returns the failure with which it ends. */
export async function reportRefusal(
  { member }: Pick<ClusterMigrationInput, 'member'>,
  refusal: Error,
): Promise<Error> {
  const of = readMembership(member);
  if (of !== null) await sendReport(of.fleetWorkflowId, refusedBeforeStart(of));
  return refusal;
}
