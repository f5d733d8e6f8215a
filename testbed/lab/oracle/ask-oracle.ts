import { mustRun } from '../../../devserver/run-program.js';

/** How the real decoder reads one Leader Migration file: its error, or the decoded result. */
export type OracleAnswer =
  | { readonly error: string }
  | {
      readonly leaderName: string;
      /** By component, then by controller name: `migrated`, `nonMigrated` or `unowned`. */
      readonly dispositions: Readonly<Record<string, Readonly<Record<string, string>>>>;
    };

/** One answer for each text, in order. `controllers` are the names to query. */
export async function askOracle(
  program: string,
  texts: readonly string[],
  controllers: readonly string[],
): Promise<readonly OracleAnswer[]> {
  const questions = texts.map((text) => JSON.stringify({ text, controllers }));
  const said = await mustRun(program, [], { input: `${questions.join('\n')}\n` });
  const answers = said.trimEnd().split('\n');
  if (answers.length !== texts.length) {
    throw new Error(`${program} gave ${answers.length} answers to ${texts.length} questions`);
  }
  return answers.map(readAnswer);
}

function readAnswer(line: string): OracleAnswer {
  const said: unknown = JSON.parse(line);
  if (!isAnswer(said)) throw new Error(`not an answer of the oracle: ${line}`);
  return said;
}

function isAnswer(said: unknown): said is OracleAnswer {
  if (typeof said !== 'object' || said === null) return false;
  return 'error' in said || ('leaderName' in said && 'dispositions' in said);
}
