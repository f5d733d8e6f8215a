import type { FindingCode } from '../domain/findings/catalogue.js';

/** One thing that is wrong in a configuration file. Lines and columns count from 1; `path` is empty for the document itself. */
export interface ConfigProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
  /** Page of the catalogue with details: `ccm-migrate explain CODE`. */
  readonly code: FindingCode;
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

/** `file:line:col: path: message (code)`, as editors and terminals link it. */
export function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, path, message, code } = problem;
  const where = `${file}:${String(line)}:${String(column)}:`;
  return path === '' ? `${where} ${message} (${code})` : `${where} ${path}: ${message} (${code})`;
}
