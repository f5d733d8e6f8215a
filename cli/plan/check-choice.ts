import type { Severity } from '../../domain/findings/finding.js';
import type { OptionReader } from '../cli.js';

const RANKS: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 };

/** Whether `--only` and `--skip` leave a code in. */
export function codesChosen(options: OptionReader): (code: string) => boolean {
  const [only, skip] = [options.texts('only'), options.texts('skip')];
  return (code) => (only.length === 0 || only.includes(code)) && !skip.includes(code);
}

/** Whether no finding is as severe as `--severity`. */
export function isClear(
  options: OptionReader,
  findings: readonly { readonly severity: Severity }[],
): boolean {
  const threshold = RANKS[thresholdOf(options.text('severity'))];
  return findings.every(({ severity }) => RANKS[severity] < threshold);
}

function thresholdOf(written: string | null): Severity {
  return written === 'info' || written === 'warning' ? written : 'error';
}
