import { overlapComplaints, overlaps } from '../../../support/run-complaints.js';
import { told, type Hold, type LabDirection } from '../runs/lab-direction.js';
import type { FaultCase } from './fault-cases.js';

export interface Holding {
  readonly holds: readonly Hold[];
  /** The node that the fault affected; empty for none. */
  readonly node: string;
}

/** Whether it held as required, for a reason that was true. */
export function holdComplaints(
  { hold, reasons }: Pick<FaultCase, 'hold' | 'reasons'>,
  { holds, node }: Holding,
): readonly string[] {
  if (hold === 'never') return holds.length === 0 ? [] : [`it held: ${told(holds)}`];
  const findings = holds.flatMap((each) => each.findings);
  const untrue = findings.filter(({ code }) => !reasons.includes(code));
  return [
    ...(hold === 'must' ? silence(holds, node) : []),
    ...untrue.map(({ code, subject, seen }) => `it held for ${code} ${subject}: ${seen}`),
  ];
}

/** The operator has to learn where the fault is. */
function silence(holds: readonly Hold[], node: string): readonly string[] {
  if (holds.length === 0) return ['it did not hold while the fault lasted'];
  const text = told(holds);
  return text.includes(node) ? [] : [`it held without naming ${node}: ${text}`];
}

/** Two owners may appear only where a process slept through its Lease, and there they must: otherwise the fault was not effective. */
export function sharedOwnership(
  { overlap }: Pick<FaultCase, 'overlap'>,
  { truth }: Pick<LabDirection, 'truth'>,
): readonly string[] {
  if (overlap === 'none') return overlapComplaints(truth);
  return overlaps(truth).length > 0 ? [] : ['the process that woke was no second owner'];
}
