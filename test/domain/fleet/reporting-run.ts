import type { MemberReport, ReportKind } from '../../../domain/fleet/fleet-events.js';
import { memberReports } from '../../../domain/fleet/member-milestones.js';
import { type GivenEvent, GivenRun, MEMBER } from '../run/given-run.js';

/** A member that reports after each event, as its workflow does. */
export class ReportingRun extends GivenRun {
  readonly sent: MemberReport[] = [];

  override on(...events: readonly GivenEvent[]): this {
    for (const event of events) {
      super.on(event);
      const { state, reports } = memberReports(this.state);
      this.state = state;
      this.sent.push(...reports);
    }
    return this;
  }

  /** What was sent since this was last asked. */
  said(): readonly ReportKind[] {
    return this.sent.splice(0).map(({ what }) => what);
  }
}

export const reportingMember = (...given: ConstructorParameters<typeof GivenRun>): ReportingRun => {
  const [decisions, policy] = given;
  return new ReportingRun(decisions, policy, MEMBER);
};
