import { CommanderError } from 'commander';
import { ConfigInvalid } from '../config/problems.js';
import type { Cli, Environment, OutputFormat } from './cli.js';
import { commandError } from './command-error.js';
import type { Ending } from './endings.js';
import { EXIT_CODES } from './endings.js';
import { optionReader } from './option-reader.js';
import { documentText } from './print.js';
import type { Invocation } from './program.js';
import { createProgram } from './program.js';
import { Refusal, WrongUsage } from './refusal.js';
import { askedOutput, ourWords } from './typed-words.js';
import { refusalOf } from './refusal-of-failure.js';
import { configText, refusalText } from './terminal/error-text.js';
import type { Terminal } from './terminal/terminal.js';
import type { ColorChoice, Theme } from './terminal/theme.js';
import { createTheme, wantsAscii, wantsColor } from './terminal/theme.js';

export interface Surroundings {
  readonly terminal: Terminal;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** Runs one command line and answers its exit code. Everything that can go wrong is caught here and nowhere else. */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings;
  let ending: Ending = 'reached';
  const program = createProgram(async (invocation) => {
    const cli = cliOf(invocation, surroundings);
    const action = await invocation.verb.load();
    ending = await action(cli);
  }, terminal);
  try {
    await program.parseAsync([...ourWords(argv)], { from: 'user' });
  } catch (error) {
    ending = report(error, surroundings);
    // Whoever reads documents gets one about the failure too: an exit code alone says little.
    const output = askedOutput(argv);
    if (output !== 'text' && ending !== 'reached') {
      terminal.out(documentText(output, 'CommandError', commandError(error, ending)));
    }
  }
  return EXIT_CODES[ending];
}

function cliOf({ options, arguments: given }: Invocation, surroundings: Surroundings): Cli {
  const { terminal, env } = surroundings;
  const reader = optionReader(options);
  const canAsk = terminal.canAsk && reader.flag('input');
  return {
    ...surroundings,
    terminal: { ...terminal, canAsk },
    theme: themeFor(env, terminal, colorChoice(reader.text('color'))),
    output: outputFormat(reader.text('output')),
    options: reader,
    arguments: given,
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
  return written === 'json' || written === 'jsonl' ? written : 'text';
}

/** Tells what went wrong on stderr and how the command ended. */
function report(error: unknown, { terminal, env, signal }: Surroundings): Ending {
  const theme = themeFor(env, terminal, 'auto');
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'reached' : 'usage';
  if (error instanceof ConfigInvalid) {
    terminal.err(configText(error, theme));
    return 'configInvalid';
  }
  if (error instanceof WrongUsage) {
    terminal.err(`${theme.mark('failed')} ${error.message}\n`);
    return 'usage';
  }
  if (signal.aborted) {
    terminal.err('interrupted\n');
    return 'interrupted';
  }
  const refusal = error instanceof Refusal ? error : refusalOf(error);
  if (refusal !== null) {
    terminal.err(refusalText(refusal, theme));
    return refusal.ending;
  }
  terminal.err(`${theme.mark('failed')} ${unexpected(error, env)}\n`);
  return 'failed';
}

function unexpected(error: unknown, env: Environment): string {
  if (!(error instanceof Error)) return String(error);
  const trace = env['CCM_MIGRATE_DEBUG'] === '1' ? `\n${error.stack ?? ''}` : '';
  return `${error.message}${trace}`;
}
