import type { Theme } from '../../terminal/theme.js';
import { counted, wrapped } from '../../terminal/wording.js';
import type { AuditCheck } from '../audit-check.js';
import type { AccountEntry } from './account-lines.js';

/** How an account is shown. */
export interface AccountLayout {
  readonly theme: Theme;
  /** Columns of the screen; infinite without one. */
  readonly width: number;
  /** As in `ChangeLayout`. */
  readonly full: boolean;
}

/** Facts below each other, each behind its name; those without a text are left out. */
export function namedRows(
  rows: readonly (readonly [name: string, text: string])[],
  width: number,
): readonly string[] {
  return rows.flatMap(([name, text]) =>
    text === '' ? [] : hanging(name.padEnd(NAME_WIDTH), text, { at: NAME_WIDTH, width }),
  );
}

const NAME_WIDTH = 'Asked by'.length + 2;

/** What the checks prove, in a sentence. */
export function proofText(checks: readonly AuditCheck[], theme: Theme): string {
  const named = (result: AuditCheck['result']): readonly string[] =>
    checks.filter((each) => each.result === result).map(({ check }) => check);
  const [failed, unproven] = [named('fail'), named('unproven')];
  const all = counted(checks.length, 'check');
  if (failed.length > 0)
    return `${theme.mark('failed')} ${String(failed.length)} of ${all} fail: ${failed.join(', ')}. Believe nothing below`;
  if (unproven.length > 0)
    return `${theme.mark('waiting')} ${String(unproven.length)} of ${all} prove nothing: ${unproven.join(', ')}`;
  return `${theme.mark('ok')} all of ${all} pass`;
}

/** Entries of one day below its date; entries of equal times as they are given. */
export function chronology(
  entries: readonly AccountEntry[],
  { theme, width }: Pick<AccountLayout, 'theme' | 'width'>,
): readonly string[] {
  const sorted = [...entries].sort((one, other) => timeOfEntry(one) - timeOfEntry(other));
  let day = '';
  return sorted.flatMap(({ at, mark, title, below }) => {
    const today = clockOf(at, 'day');
    const isNew = today !== day;
    day = today;
    return [
      ...(isNew ? [theme.paint('quiet', today)] : []),
      ...hanging(`${clockOf(at, 'time')}  ${theme.mark(mark)} `, title, { at: INDENT, width }),
      ...below.flatMap((line) =>
        typeof line === 'string' ? indented(line, width) : [' '.repeat(INDENT + 2) + line.diff],
      ),
    ];
  });
}

/** What has no time comes last, where it is seen. */
function timeOfEntry({ at }: AccountEntry): number {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? Number.MAX_SAFE_INTEGER : ms;
}

const NO_TIME = { day: 'no time', time: '        ', whole: 'no time' } as const;

export function clockOf(at: string, part: keyof typeof NO_TIME): string {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return NO_TIME[part];
  const text = new Date(ms).toISOString();
  const [day, time] = [text.slice(0, 10), text.slice(11, 19)];
  return { day, time, whole: `${day} ${time}Z` }[part];
}

/** Columns of a time and a mark. */
export const INDENT = 12;

/** A line below another, continued at its own indentation. */
function indented(line: string, width: number): readonly string[] {
  const text = line.trimStart();
  const at = INDENT + line.length - text.length;
  return hanging(' '.repeat(at), text, { at, width });
}

/** A text behind its name, continued below itself. */
function hanging(
  name: string,
  text: string,
  { at, width }: { readonly at: number; readonly width: number },
): readonly string[] {
  const lines = wrapped(text, width - at);
  return lines.map((line, index) => (index === 0 ? name : ' '.repeat(at)) + line);
}
