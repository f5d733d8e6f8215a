import type { WaveSpec } from '../kinds/wave.js';
import type { Complain, DocumentPath } from './complain.js';
import { repeatedInList } from './repeated-names.js';

/** Approvals that no one could ever give. */
export function approvalProblems(
  approvals: WaveSpec['approvals'],
  path: DocumentPath,
  complain: Complain,
): void {
  const approvers = approvals?.approvers;
  if (approvals === undefined || approvers === undefined) return;
  const at = [...path, 'approvers'];
  repeatedInList(approvers, at, complain);
  const people = new Set(approvers).size;
  if (people === 0) {
    const message = 'names no one who may approve; leave it out to let anyone approve';
    complain({ path: at, message, code: 'CCM5029' });
  } else if (approvals.quorum > people) {
    const message = `larger than the ${String(people)} who may approve`;
    complain({ path: [...path, 'quorum'], message, code: 'CCM5029' });
  }
}
