import type { ConfigInvalid } from '../../config/problems.js';
import { formatProblem } from '../../config/problems.js';
import type { CliError } from '../cli-error.js';
import type { Theme } from './theme.js';

/** What, why, fix and, for a run, whether the cluster is safe. */
export function cliErrorText(refusal: CliError, theme: Theme): string {
  const rows: (readonly [string, string])[] = [
    ['why', refusal.why],
    ['fix', refusal.fix],
    ['state', refusal.state],
    ['more', `ccm-migrate explain ${refusal.code}`],
  ];
  return [
    `${theme.mark('failed')} ${theme.paint('strong', refusal.code)} ${refusal.message}`,
    ...rows.filter(([, text]) => text !== '').map(([name, text]) => `  ${name.padEnd(6)}${text}`),
    '',
  ].join('\n');
}

export function configText(error: ConfigInvalid, theme: Theme): string {
  const count = error.problems.length;
  const noun = count === 1 ? 'problem' : 'problems';
  return [
    ...error.problems.map(formatProblem),
    `${theme.mark('failed')} ${String(count)} ${noun} in the configuration`,
    '',
  ].join('\n');
}
