import { relative } from 'node:path';
import type { Cli } from '../../../cli/cli.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import { runProgram, type ProgramResult } from '../../../devserver/run-program.js';

const PROGRAM = compiledProgram('cli', 'main.js');

/** The command as a person types it, in this folder and without installing anything. */
export function shownCommand(...words: readonly string[]): string {
  return ['node', relative(process.cwd(), PROGRAM), ...words.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `"${word}"`;
}

/** Runs one of the product's own commands as its users do, in a process of its own. @throws the reason of an interruption */
export async function runCommand(cli: Cli, words: readonly string[]): Promise<ProgramResult> {
  const { env, signal } = cli;
  const result = await runProgram(process.execPath, [PROGRAM, ...words], { env, signal });
  signal.throwIfAborted();
  return result;
}

/** The same, shown with what it prints, or a part of that; it has to succeed. @throws Error with its last words. */
export async function showCommand(
  cli: Cli,
  words: readonly string[],
  shown: (text: string) => string = (text) => text,
): Promise<void> {
  cli.terminal.err(`\n$ ${shownCommand(...words)}\n`);
  const { code, stdout, stderr } = await runCommand(cli, words);
  cli.terminal.err(`${shown(stdout)}${code === 0 ? '' : stderr}`);
  if (code !== 0) throw new Error(`ccm-migrate ${words.join(' ')}: exit ${String(code)}`);
}
