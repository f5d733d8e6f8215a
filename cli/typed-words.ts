import type { OutputFormat } from './cli.js';

/** What other tools are asked for by flags or a verb, in ours: `--version`, `-V`, `help`, `help VERB`. */
export function ourWords(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === '--version' || first === '-V') return ['version', ...rest];
  return first === 'help' ? [...rest, '--help'] : argv;
}

/** The output that was asked for, also where the command line is wrong and nothing of it can be parsed. */
export function askedOutput(argv: readonly string[]): OutputFormat {
  const given = argv.findLastIndex((word) => FLAG.test(word));
  const word = argv[given] ?? '';
  const value = word.replace(FLAG, '');
  const written = value === '' ? argv[given + 1] : value;
  return written === 'json' || written === 'jsonl' ? written : 'text';
}

const FLAG = /^(?:-o|--output(?:=|$))/;
