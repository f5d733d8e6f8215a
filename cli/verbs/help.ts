import { EXIT_STATUS_MEANINGS, EXIT_CODES } from '../exit-status.js';
import { VERB_GROUPS } from './all-verbs.js';
import type { Flag, Verb } from './verb.js';

const OUTPUT: Flag = {
  flags: '-o, --output <format>',
  about: 'text for people; json: one document; jsonl: one record per line',
  choices: ['text', 'json', 'jsonl'],
  preset: 'text',
};

const OUTPUT_OR_CSV: Flag = {
  ...OUTPUT,
  about: `${OUTPUT.about}; csv: for spreadsheets`,
  choices: ['text', 'json', 'jsonl', 'csv'],
};

const OTHER_GLOBAL_FLAGS: readonly Flag[] = [
  {
    flags: '--color <when>',
    about: 'when to use colours',
    choices: ['auto', 'always', 'never'],
    preset: 'auto',
  },
  { flags: '--no-input', about: 'never prompt; fail instead' },
];

/** Flags that every verb takes; some print one format more. */
export function globalFlags({ printsCsv }: Pick<Verb, 'printsCsv'>): readonly Flag[] {
  return [printsCsv === true ? OUTPUT_OR_CSV : OUTPUT, ...OTHER_GLOBAL_FLAGS];
}

/** The help page of one verb: one sentence, then examples, flags and exit codes. */
export function verbHelp(verb: Verb): string {
  const usage = ['ccm-migrate', verb.name, ...verb.arguments.map((one) => one.syntax), '[flags]'];
  return [
    verb.about,
    '',
    'Examples:',
    ...verb.examples.map((example) => `  ${example}`),
    '',
    `Usage: ${usage.join(' ')}`,
    ...section(
      'Arguments:',
      verb.arguments.map((one) => [one.syntax, one.about]),
    ),
    ...section('Flags:', verb.flags.map(flagRow)),
    ...section('Global flags:', [
      ...globalFlags(verb).map(flagRow),
      ['-h, --help', 'show this help'],
    ]),
    ...section('Exit codes:', exitRows(verb)),
    '',
  ].join('\n');
}

/** The first page: every verb with its sentence. */
export function overview(): string {
  return [
    'Moves Kubernetes clusters from in-tree cloud controllers to a cloud-controller-manager, with rollback.',
    '',
    'Examples:',
    '  ccm-migrate demo                          see it work on a simulated cluster',
    '  ccm-migrate lint fleet/                   check what you wrote',
    '  ccm-migrate check -f fleet/               see what stands in the way',
    '  ccm-migrate plan -f fleet/ --out plan.json',
    '  ccm-migrate apply plan.json --reason "CHG-4711" --watch',
    '',
    'Usage: ccm-migrate VERB [flags]',
    ...VERB_GROUPS.flatMap(({ title, verbs }) =>
      section(
        `${title}:`,
        verbs.map((verb) => [verb.name, verb.about]),
      ),
    ),
    '',
    'Help for one verb: ccm-migrate VERB --help. Tables are for people and may change; -o json is a stable contract.',
    '',
  ].join('\n');
}

/** The help page of verbs that share their first word, such as `audit`. */
export function groupHelp(group: string): string {
  const verbs = VERB_GROUPS.flatMap((each) => each.verbs).filter(({ name }) =>
    name.startsWith(`${group} `),
  );
  const words = verbs.map(({ name }) => name.slice(group.length + 1));
  return [
    `Usage: ccm-migrate ${group} ${words.join('|')} [flags]`,
    ...section(
      'Verbs:',
      verbs.map(({ name, about }) => [name, about]),
    ),
    ...section(
      'Examples:',
      verbs.flatMap(({ examples }) => examples.map((example) => [example, ''] as const)),
    ),
    '',
    `Help for one verb: ccm-migrate ${group} VERB --help.`,
    '',
  ].join('\n');
}

type Row = readonly [string, string];

function section(title: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return ['', title, ...rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`.trimEnd())];
}

function flagRow(flag: Flag): Row {
  const choices = flag.choices === undefined ? '' : ` (${flag.choices.join(', ')})`;
  const preset = flag.preset === undefined ? '' : ` [${flag.preset}]`;
  return [flag.flags, `${flag.about}${choices}${preset}`];
}

/** Wrong usage and interruption can end any verb. */
function exitRows(verb: Verb): readonly Row[] {
  const exitStatuses = [...new Set([...verb.exitStatuses, 'usage' as const])];
  return exitStatuses
    .sort((a, b) => EXIT_CODES[a] - EXIT_CODES[b])
    .map((exitStatus) => [
      String(EXIT_CODES[exitStatus]),
      verb.meanings?.[exitStatus] ?? EXIT_STATUS_MEANINGS[exitStatus],
    ]);
}
