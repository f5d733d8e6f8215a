import { listAt, numberOf, textAt, textsAt, valueAt } from '../../base/json.js';

/** What the product says about a fleet: the parts of `status FLEET -o json` that the demo needs. */
export interface FleetReport {
  readonly standing: string;
  /** Of each cluster, by name. */
  readonly phases: Readonly<Record<string, string>>;
  readonly burnt: number;
  /** What waits for a person. */
  readonly needs: readonly FleetNeed[];
}

export interface FleetNeed {
  readonly kind: string;
  readonly subject: string;
  /** The clusters that it is about; none where it is about a wave or the fleet. */
  readonly names: readonly string[];
}

/** The clusters that a saved plan leaves out: the fleet never hears of them. */
export function leftOutBy(plan: unknown): readonly string[] {
  return listAt(plan, 'skipped').map((one) => textAt(one, 'name'));
}

/** The report of a fleet, with the clusters that its plan left out. */
export function withLeftOut(report: FleetReport, leftOut: readonly string[]): FleetReport {
  const skipped = Object.fromEntries(leftOut.map((name) => [name, 'skipped']));
  return { ...report, phases: { ...skipped, ...report.phases } };
}

/** Reads the document. A part that is missing reads as empty, which no claim takes for good. */
export function readFleetReport(document: unknown): FleetReport {
  const status = valueAt(document, 'status');
  const groups = listAt(status, 'groups').flatMap((group) =>
    textsAt(group, 'clusters').map((name) => [name, textAt(group, 'phase')] as const),
  );
  return {
    standing: textAt(status, 'standing'),
    phases: Object.fromEntries(groups),
    burnt: numberOf(valueAt(status, 'limits', 'burnt'), Number.NaN),
    needs: listAt(status, 'needs').map((need) => ({
      kind: textAt(need, 'kind'),
      subject: textAt(need, 'subject'),
      names: textsAt(need, 'names'),
    })),
  };
}
