/** One thing that is wrong in a configuration file. Lines and columns count from 1; `path` is empty for the document itself. */
export interface ConfigProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

/** Thrown with every problem of all files at once. */
export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/** `file:line:col: path: message`, as editors and terminals link it. */
export function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, path, message } = problem;
  const where = `${file}:${String(line)}:${String(column)}:`;
  return path === '' ? `${where} ${message}` : `${where} ${path}: ${message}`;
}
