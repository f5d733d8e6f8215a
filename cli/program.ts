import { Command, Option } from 'commander';
import { ALL_VERBS } from './verbs/all-verbs.js';
import { GLOBAL_FLAGS, groupHelp, overview, verbHelp } from './verbs/help.js';
import type { Flag, Verb } from './verbs/verb.js';

/** A verb as it was typed. */
export interface Invocation {
  readonly verb: Verb;
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

export interface ProgramOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Commander's tree of all verbs. It only parses: `invoke` is called with what was typed. */
export function createProgram(
  invoke: (invocation: Invocation) => Promise<void>,
  output: ProgramOutput,
): Command {
  const program = quiet(new Command('ccm-migrate'), output, overview());
  for (const verb of ALL_VERBS) addVerb(program, verb, invoke, output);
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
  for (const flag of [...verb.flags, ...GLOBAL_FLAGS]) command.addOption(optionOf(flag));
  command.action(async () => {
    await invoke({ verb, arguments: command.args, options: command.opts() });
  });
}

function groupOf(program: Command, name: string, output: ProgramOutput): Command {
  const known = program.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  const group = quiet(program.command(name), output, groupHelp(name));
  return group;
}

/** Never exits by itself and never writes past our terminal. */
function quiet(command: Command, output: ProgramOutput, help: string): Command {
  return command
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.err })
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
