import type { Finding } from '../../domain/finding.js';
import type { Theme } from '../terminal/theme.js';

const MARKS = { error: 'failed', warning: 'warning', info: 'waiting' } as const;

/** What was seen, in one line. */
export function headOf({ severity, code, subject, seen }: Finding, theme: Theme): string {
  return `${theme.mark(MARKS[severity])} ${theme.paint('strong', code)} ${subject}: ${seen}`;
}

/** A finding as every verb shows it. */
export function findingLines(finding: Finding, theme: Theme): readonly string[] {
  return [headOf(finding, theme), `    why   ${finding.why}`, `    fix   ${finding.fix}`];
}
