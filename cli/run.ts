import { Command, CommanderError, Option } from 'commander';
import { ConfigInvalid } from '../config/problems.js';
import type { Cli, Environment, OutputFormat } from './cli.js';
import { documentText, optionReader } from './cli.js';
import type { ExitStatus } from './exit-status.js';
import { EXIT_CODES } from './exit-status.js';
import { CliError, Interrupted, UsageError, commandError, cliErrorOf } from './cli-error.js';
import { configText, cliErrorText } from './terminal/error-text.js';
import type { Terminal } from './terminal/terminal.js';
import type { ColorChoice, Theme } from './terminal/theme.js';
import { createTheme, wantsAscii, wantsColor } from './terminal/theme.js';
import { checkValues } from './verbs/flag-values.js';
import { ALL_VERBS } from './verbs/all-verbs.js';
import { globalFlags, groupHelp, overview, verbHelp } from './verbs/help.js';
import type { Flag, Verb } from './verbs/verb.js';

export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** Runs one command line and returns its exit code. All errors are caught here and nowhere else. */
export async function run(
  argv: readonly string[],
  context: CommandContext,
  verbs: readonly Verb[] = ALL_VERBS,
): Promise<number> {
  const { terminal } = context;
  let exitStatus: ExitStatus = 'reached';
  const program = createProgram(
    async (invocation) => {
      const cli = cliOf(invocation, argv, context);
      refuseEmpty(invocation);
      checkValues(invocation.verb, cli.options);
      const action = await invocation.verb.load();
      exitStatus = await action(cli);
    },
    terminal,
    verbs,
  );
  try {
    await program.parseAsync([...normalisedArguments(argv, verbs)], { from: 'user' });
  } catch (error) {
    exitStatus = report(error, context, helpCommand(argv, verbs));
    // A program that reads documents gets one about the failure too: an exit code alone says little.
    const output = askedOutput(argv);
    if (output !== 'text' && exitStatus !== 'reached') {
      terminal.out(documentText(output, 'CommandError', commandError(error, exitStatus)));
    }
  }
  return EXIT_CODES[exitStatus];
}

/** An empty word is a variable of a script that is not set: it must not mean the only run that there is. */
function refuseEmpty({ verb, arguments: given }: Invocation): void {
  const empty = given.indexOf('');
  if (empty === -1) return;
  const syntax = verb.arguments[Math.min(empty, verb.arguments.length - 1)]?.syntax ?? 'argument';
  throw new UsageError(`${syntax} is empty: write it, or leave it out where it may be`);
}

function cliOf(
  { options, typedOptions, arguments: given }: Invocation,
  typed: readonly string[],
  context: CommandContext,
): Cli {
  const { terminal, env } = context;
  const reader = optionReader(options, typedOptions);
  const canAsk = terminal.canAsk && reader.flag('input');
  return {
    ...context,
    terminal: { ...terminal, canAsk },
    theme: themeFor(env, terminal, colorChoice(reader.text('color'))),
    output: outputFormat(reader.text('output')),
    options: reader,
    arguments: given,
    typed,
  };
}

function themeFor(env: Environment, terminal: Terminal, choice: ColorChoice): Theme {
  return createTheme({
    color: wantsColor(choice, env, terminal.outIsScreen),
    ascii: wantsAscii(env),
  });
}

function colorChoice(written: string | null): ColorChoice {
  return written === 'always' || written === 'never' ? written : 'auto';
}

function outputFormat(written: string | null): OutputFormat {
  return OUTPUTS.find((each) => each === written) ?? 'text';
}

const OUTPUTS = ['json', 'jsonl', 'csv'] as const;

/** Reports the error on stderr and returns the exit status. */
function report(
  error: unknown,
  { terminal, env, signal }: CommandContext,
  help: string,
): ExitStatus {
  const theme = themeFor(env, terminal, 'auto');
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 'reached';
    // A group without its verb: its help has been printed.
    if (error.code === 'commander.help') return 'usage';
    const what = error.message.replace(/^error: /, '').replace('\n', '\n  ');
    terminal.err(`${theme.mark('failed')} ${what}\n  ${'help'.padEnd(6)}${help}\n`);
    return 'usage';
  }
  if (error instanceof ConfigInvalid) {
    terminal.err(configText(error, theme));
    return 'configInvalid';
  }
  if (error instanceof UsageError) {
    terminal.err(`${theme.mark('failed')} ${error.message}\n`);
    return 'usage';
  }
  if (signal.aborted) {
    terminal.err(error instanceof Interrupted ? `${error.message}\n` : 'interrupted\n');
    return 'interrupted';
  }
  const refusal = error instanceof CliError ? error : cliErrorOf(error);
  if (refusal !== null) {
    terminal.err(cliErrorText(refusal, theme));
    return refusal.exitStatus;
  }
  terminal.err(`${theme.mark('failed')} ${unexpected(error, env)}\n`);
  return 'failed';
}

function unexpected(error: unknown, env: Environment): string {
  if (!(error instanceof Error)) return String(error);
  const trace = env['CCM_MIGRATE_DEBUG'] === '1' ? `\n${error.stack ?? ''}` : '';
  return `${error.message}${trace}`;
}

/** A verb as typed. */
export interface Invocation {
  readonly verb: Verb;
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Names of those that were typed; the others are presets. */
  readonly typedOptions: readonly string[];
}

export interface ProgramOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Commander's tree of all verbs. It only parses: `invoke` is called with the parsed command line. */
export function createProgram(
  invoke: (invocation: Invocation) => Promise<void>,
  output: ProgramOutput,
  verbs: readonly Verb[] = ALL_VERBS,
): Command {
  const program = quiet(new Command('ccm-migrate'), output, overview());
  for (const verb of verbs) addVerb(program, verb, invoke, output);
  return program;
}

function addVerb(
  program: Command,
  verb: Verb,
  invoke: (invocation: Invocation) => Promise<void>,
  output: ProgramOutput,
): void {
  const words = verb.name.split(' ');
  const name = words.at(-1) ?? verb.name;
  const parent = words.length === 1 ? program : groupOf(program, words[0] ?? '', output);
  const command = quiet(parent.command(name), output, verbHelp(verb));
  for (const { syntax } of verb.arguments) command.argument(syntax);
  for (const flag of [...verb.flags, ...globalFlags(verb)]) command.addOption(optionOf(flag));
  command.action(async () => {
    const options = command.opts();
    const typedOptions = Object.keys(options).filter(
      (each) => command.getOptionValueSource(each) === 'cli',
    );
    await invoke({ verb, arguments: command.args, options, typedOptions });
  });
}

function groupOf(program: Command, name: string, output: ProgramOutput): Command {
  const known = program.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  const group = quiet(program.command(name), output, groupHelp(name));
  return group;
}

/** Never exits the process and never bypasses our terminal; what is wrong with a command line is thrown, and told by `run`. */
function quiet(command: Command, output: ProgramOutput, help: string): Command {
  return command
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.err, outputError: () => undefined })
    .configureHelp({ formatHelp: () => help })
    .helpCommand(false)
    .allowExcessArguments(false)
    .showSuggestionAfterError(true);
}

function optionOf(flag: Flag): Option {
  const option = new Option(flag.flags, flag.about);
  if (flag.choices !== undefined) option.choices([...flag.choices]);
  if (flag.preset !== undefined) option.default(flag.preset);
  return option;
}

/**
 * Conventions of other tools, mapped to ours: `--version`, `-V`, `help`, `help VERB`. Help on a verb that does not exist is an
 * error, not the help of something else.
 */
function normalisedArguments(argv: readonly string[], verbs: readonly Verb[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === '--version' || first === '-V') return ['version', ...rest];
  const [word = '-', ...others] = first === 'help' ? rest : argv;
  const isKnown = word.startsWith('-') || verbs.some(({ name }) => name.split(' ')[0] === word);
  if (!isKnown) return [word, ...others.filter((each) => each !== '--help' && each !== '-h')];
  return first === 'help' ? [...rest, '--help'] : argv;
}

/** What shows the help of the verb or group that was typed, or else of all. */
function helpCommand(argv: readonly string[], verbs: readonly Verb[]): string {
  const [first = '', second = ''] = argv;
  const known = [`${first} ${second}`, first].find((words) =>
    verbs.some(({ name }) => name === words || name.startsWith(`${words} `)),
  );
  return ['ccm-migrate', ...(known === undefined ? [] : [known]), '--help'].join(' ');
}

/** The requested output format, also where the command line is wrong and cannot be parsed. */
function askedOutput(argv: readonly string[]): OutputFormat {
  const given = argv.findLastIndex((word) => FLAG.test(word));
  const word = argv[given] ?? '';
  const value = word.replace(FLAG, '');
  const written = value === '' ? argv[given + 1] : value;
  return written === 'json' || written === 'jsonl' ? written : 'text';
}

const FLAG = /^(?:-o|--output(?:=|$))/;
