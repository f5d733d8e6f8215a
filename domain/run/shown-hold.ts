import { isFindingCode, makeFinding } from '../findings/catalogue.js';
import type { Finding } from '../findings/finding.js';
import { isSoftCode } from '../gates/soft-codes.js';
import type { GateVerdict } from '../gates/verdicts.js';
import type { HoldReason, RunState } from './run-state.js';

/**
 * What holds a run, each finding with the page that helps. The state of a run says of each gate that could not be measured that it
 * was not; those on metrics and objects have pages, and codes by which they are skipped, of their own. Only what is shown is
 * changed: a run reports to its fleet by the codes of its state, and does so again when it is replayed.
 */
export function shownHold({ problems }: Pick<RunState, 'problems'>): HoldReason | null {
  const { holdReason, breaches, gates } = problems;
  if (holdReason?.kind !== 'gates') return holdReason;
  const verdicts = [...breaches, ...gates].filter(({ code }) => isSoftCode(code));
  const [first, ...others] = holdReason.findings;
  const findings = [
    withOwnPage(first, verdicts),
    ...others.map((each) => withOwnPage(each, verdicts)),
  ] as const;
  return { ...holdReason, findings };
}

function withOwnPage(finding: Finding, verdicts: readonly GateVerdict[]): Finding {
  const { subject, seen, severity } = finding;
  const code = verdicts.find(({ hardness, gate }) => `${hardness} gate ${gate}` === subject)?.code;
  return code !== undefined && isFindingCode(code)
    ? makeFinding(code, { subject, seen, severity })
    : finding;
}
