import { isFindingCode, makeFinding } from '../findings/catalogue.js';
import type { Finding } from '../findings/finding.js';
import { isSoftCode } from '../gates/soft-codes.js';
import type { GateVerdict } from '../gates/verdicts.js';
import type { RunState } from './run-state.js';

/**
 * What holds a run, each with the page that helps. The state of a run says of each gate that could not be measured that it was not;
 * those on metrics and objects have pages, and codes by which they are skipped, of their own. Only what is shown is changed: a run
 * reports to its fleet by the codes of its state, and does so again when it is replayed.
 */
export function shownFindings({ problems }: Pick<RunState, 'problems'>): readonly Finding[] {
  const { holdReason, breaches, gates } = problems;
  if (holdReason === null) return [];
  const verdicts = [...breaches, ...gates].filter(({ code }) => isSoftCode(code));
  return holdReason.findings.map((finding) => withOwnPage(finding, verdicts));
}

function withOwnPage(finding: Finding, verdicts: readonly GateVerdict[]): Finding {
  const { subject, seen, severity } = finding;
  const code = verdicts.find(({ hardness, gate }) => `${hardness} gate ${gate}` === subject)?.code;
  return code !== undefined && isFindingCode(code)
    ? makeFinding(code, { subject, seen, severity })
    : finding;
}
