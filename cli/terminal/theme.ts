import { styleText } from 'node:util';

type Mark = 'ok' | 'failed' | 'running' | 'held' | 'warning' | 'waiting';
type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'quiet' | 'strong' | 'added' | 'removed';

/** Icons and colours, decided once: everything that prints uses these. A mark always has a word beside it. */
export interface Theme {
  mark(mark: Mark): string;
  paint(tone: Tone, text: string): string;
  readonly branch: {
    readonly item: string;
    readonly last: string;
    readonly pass: string;
    readonly gap: string;
  };
}

const UNICODE: Readonly<Record<Mark, string>> = {
  ok: '✔',
  failed: '✖',
  running: '◌',
  held: '॥',
  warning: '⚠',
  waiting: '•',
};

const ASCII: Readonly<Record<Mark, string>> = {
  ok: 'OK',
  failed: 'FAIL',
  running: 'RUN',
  held: 'HOLD',
  warning: 'WARN',
  waiting: '-',
};

const MARK_TONES: Readonly<Record<Mark, Tone>> = {
  ok: 'good',
  failed: 'bad',
  running: 'strong',
  held: 'warn',
  warning: 'warn',
  waiting: 'quiet',
};

const STYLES: Readonly<Record<Tone, Parameters<typeof styleText>[0] | null>> = {
  plain: null,
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  quiet: 'gray',
  strong: 'bold',
  added: 'green',
  removed: 'red',
};

/** Whether colours are wanted was decided earlier, and does not depend on stdout. */
const UNCONDITIONALLY = { validateStream: false } as const;

export function createTheme(options: { readonly color: boolean; readonly ascii: boolean }): Theme {
  const paint = (tone: Tone, text: string): string => {
    const style = STYLES[tone];
    return options.color && style !== null ? styleText(style, text, UNCONDITIONALLY) : text;
  };
  return {
    mark: (mark) => paint(MARK_TONES[mark], (options.ascii ? ASCII : UNICODE)[mark]),
    paint,
    branch: options.ascii
      ? { item: '|-- ', last: '`-- ', pass: '|   ', gap: '    ' }
      : { item: '├── ', last: '└── ', pass: '│   ', gap: '    ' },
  };
}

export type ColorChoice = 'auto' | 'always' | 'never';

/** `--color` wins, then NO_COLOR and FORCE_COLOR, then whether the output is a terminal. */
export function wantsColor(
  choice: ColorChoice,
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (choice !== 'auto') return choice === 'always';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0';
  return isTerminal && env['TERM'] !== 'dumb';
}

/** Requested, or a locale that cannot show the marks. */
export function wantsAscii(env: Readonly<Record<string, string | undefined>>): boolean {
  if ((env['CCM_MIGRATE_ASCII'] ?? '') !== '') return true;
  const locale = env['LC_ALL'] ?? env['LC_CTYPE'] ?? env['LANG'] ?? '';
  return locale !== '' && !/utf-?8/i.test(locale);
}
