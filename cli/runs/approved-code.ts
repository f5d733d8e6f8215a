import { waivableBy } from '../../domain/decision/waivers.js';
import type { OperatorVerb } from '../../domain/run/operator-verbs.js';
import type { RunStatus } from '../../domain/run/run-status.js';

/** `--code`, where it was typed. */
export type GivenCode = Readonly<Partial<Record<'code', string>>>;

/**
 * An approval names the finding that waits, also where no one typed it: it is signed, and counts for nothing else later. Without a
 * code it is of the handover.
 */
export function withCode(
  given: GivenCode,
  verb: OperatorVerb,
  { status }: { readonly status: Pick<RunStatus, 'holdReason' | 'findings'> | null },
): GivenCode {
  const isOpen = verb === 'approve' && given.code === undefined;
  if (!isOpen || status?.holdReason !== 'blocked') return given;
  const waiting = status.findings.find(({ code }) => waivableBy(code) === 'approve');
  return waiting === undefined ? given : { code: waiting.code };
}
