import { didYouMean } from '../../config/nearest-name.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { UsageError } from '../cli-error.js';
import { ALL_VERBS } from '../verbs/all-verbs.js';
import { globalFlags } from '../verbs/help.js';
import type { Flag, Verb } from '../verbs/verb.js';

/** `completion SHELL`: a script generated from the same table of verbs as help. */
export async function completion(cli: Cli): Promise<ExitStatus> {
  const shell = cli.arguments[0] ?? '';
  if (!isShell(shell)) {
    throw new UsageError(
      `unknown shell ${shell}${didYouMean(shell, SHELLS)} (known: ${SHELLS.join(', ')})`,
    );
  }
  cli.terminal.out(completionScript(shell, ALL_VERBS));
  return 'reached';
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

function isShell(name: string): name is Shell {
  return SHELLS.some((shell) => shell === name);
}

/** A completion script for verbs and their flags; files complete by the shell's own rules. */
export function completionScript(shell: Shell, verbs: readonly Verb[]): string {
  switch (shell) {
    case 'bash':
      return bash(verbs);
    case 'zsh':
      return zsh(verbs);
    case 'fish':
      return fish(verbs);
  }
}

function bash(verbs: readonly Verb[]): string {
  return [
    '# bash completion of ccm-migrate',
    '_ccm_migrate() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" words',
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...verbs.filter(hasTwoWords).map((verb) => `    "${verb.name}") words="${flagWords(verb)}" ;;`),
    '    *) case "${COMP_WORDS[1]}" in',
    ...verbs.filter(hasOneWord).map((verb) => `      ${verb.name}) words="${flagWords(verb)}" ;;`),
    ...groups(verbs).map(([group, names]) => `      ${group}) words="${names.join(' ')}" ;;`),
    '    esac ;;',
    '  esac',
    `  if [ "$COMP_CWORD" -eq 1 ]; then words="${firstWords(verbs).join(' ')}"; fi`,
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _ccm_migrate ccm-migrate',
    '',
  ].join('\n');
}

function zsh(verbs: readonly Verb[]): string {
  const first = firstWords(verbs).map((word) => `'${word}:${quoteless(aboutWord(word, verbs))}'`);
  return [
    '#compdef ccm-migrate',
    '_ccm_migrate() {',
    `  local -a verbs; verbs=(${first.join(' ')})`,
    '  if (( CURRENT == 2 )); then _describe verb verbs; return; fi',
    '  case "$words[2] $words[3]" in',
    ...verbs
      .filter(hasTwoWords)
      .map((verb) => `    '${verb.name}') compadd -- ${flagWords(verb)} ;;`),
    '    *) case "$words[2]" in',
    ...verbs
      .filter(hasOneWord)
      .map((verb) => `      ${verb.name}) compadd -- ${flagWords(verb)} ;;`),
    ...groups(verbs).map(([group, names]) => `      ${group}) compadd -- ${names.join(' ')} ;;`),
    '    esac ;;',
    '  esac',
    '  _files',
    '}',
    'compdef _ccm_migrate ccm-migrate',
    '',
  ].join('\n');
}

function fish(verbs: readonly Verb[]): string {
  const first = firstWords(verbs).map(
    (word) =>
      `complete -c ccm-migrate -n __fish_use_subcommand -a ${word} -d '${quoteless(aboutWord(word, verbs))}'`,
  );
  const second = groups(verbs).flatMap(([group, names]) =>
    names.map(
      (name) => `complete -c ccm-migrate -n '__fish_seen_subcommand_from ${group}' -a ${name}`,
    ),
  );
  const flags = verbs.flatMap((verb) =>
    [...verb.flags, ...globalFlags(verb)].map((flag) => {
      const seen = verb.name.split(' ').at(-1) ?? verb.name;
      return `complete -c ccm-migrate -n '__fish_seen_subcommand_from ${seen}' -l ${longName(flag)} -d '${quoteless(flag.about)}'`;
    }),
  );
  return ['# fish completion of ccm-migrate', ...first, ...second, ...flags, ''].join('\n');
}

function hasOneWord(verb: Verb): boolean {
  return !verb.name.includes(' ');
}

function hasTwoWords(verb: Verb): boolean {
  return verb.name.includes(' ');
}

function firstWords(verbs: readonly Verb[]): readonly string[] {
  return [...new Set(verbs.map((verb) => verb.name.split(' ')[0] ?? verb.name))];
}

function groups(verbs: readonly Verb[]): readonly (readonly [string, readonly string[]])[] {
  const names = new Map<string, string[]>();
  for (const verb of verbs.filter(hasTwoWords)) {
    const [group = '', name = ''] = verb.name.split(' ');
    names.set(group, [...(names.get(group) ?? []), name]);
  }
  return [...names];
}

function aboutWord(word: string, verbs: readonly Verb[]): string {
  return verbs.find((verb) => verb.name === word)?.about ?? `${word} …`;
}

function flagWords(verb: Verb): string {
  return [...verb.flags, ...globalFlags(verb)].map((flag) => `--${longName(flag)}`).join(' ');
}

function longName(flag: Flag): string {
  return /--([a-z-]+)/.exec(flag.flags)?.[1] ?? flag.flags;
}

/** Descriptions are inside single quotes in the scripts; in zsh a colon separates name from text. */
function quoteless(text: string): string {
  return text.replaceAll("'", '').replaceAll(':', ' -').replaceAll('`', '');
}
