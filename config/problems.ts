import type { z } from 'zod';
import type { FindingCode } from '../domain/findings/catalogue.js';
import { oneLine } from '../domain/findings/plain-text.js';
import { didYouMean } from './nearest-name.js';

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
  return formatted(problem, '');
}

/** The same of what is worth knowing and not wrong, as compilers mark it. */
export function formatWarning(problem: ConfigProblem): string {
  return formatted(problem, ' warning:');
}

function formatted(problem: ConfigProblem, mark: string): string {
  const { file, line, column, path, message, code } = problem;
  const where = `${file}:${String(line)}:${String(column)}:${mark}`;
  // Names of files, keys and values are claims of others.
  return oneLine(`${where} ${path === '' ? '' : `${path}: `}${message} (${code})`);
}

type Issue = z.core.$ZodIssue;

/** One problem: its path in the document, whether it is about a key or its value, and what is wrong. */
export interface SchemaComplaint {
  readonly path: readonly (string | number)[];
  readonly about: 'key' | 'value';
  readonly message: string;
  readonly code: FindingCode;
}

/** A zod issue as text for people; an issue about several keys becomes one problem for each. */
export function complaints(issue: Issue, knownKeys: KnownKeys): SchemaComplaint[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, path, knownKeys);
  return [{ path, about: 'value', message: valueMessage(issue), code: codeOf(issue) }];
}

/** Each is compared with all known keys, and looked for in the text. */
const MOST_KEYS = 50;

function unknownKeys(
  keys: readonly string[],
  path: readonly (string | number)[],
  knownKeys: KnownKeys,
): SchemaComplaint[] {
  const known = knownKeys(path);
  const shown: SchemaComplaint[] = keys.slice(0, MOST_KEYS).map((key) => ({
    path: [...path, key],
    about: 'key',
    message: `unknown key${didYouMean(key, known)}`,
    code: 'CCM5002',
  }));
  const rest = keys.length - shown.length;
  if (rest === 0) return shown;
  const message = `${String(rest)} more unknown keys are not shown`;
  return [...shown, { path, about: 'value', message, code: 'CCM5002' }];
}

function codeOf(issue: Issue): FindingCode {
  if (issue.path.length === 1 && issue.path[0] === 'apiVersion') return 'CCM5005';
  if (issue.path.at(-1) === 'version') return 'CCM5006';
  return issue.input === undefined && issue.code !== 'invalid_union' ? 'CCM5004' : 'CCM5003';
}

/** The keys that the schema knows at a path of the document. */
export type KnownKeys = (path: readonly (string | number)[]) => readonly string[];

function valueMessage(issue: Issue): string {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined
      ? `required, and missing (${issue.expected})`
      : `expected ${issue.expected}, found ${nameOf(issue.input)}`;
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => message).join('; ');
  }
  if (issue.code === 'invalid_value') return choiceMessage(issue.input, issue.values.map(String));
  return issue.code === 'invalid_union' ? unionMessage(issue) : issue.message;
}

function choiceMessage(written: unknown, choices: readonly string[]): string {
  if (written === undefined) return `required, and missing (${choices.join(' | ')})`;
  const expected = choices.length === 1 ? `"${choices.join()}"` : `one of ${choices.join(', ')}`;
  const shown = typeof written === 'string' ? `"${written}"` : nameOf(written);
  const hint =
    typeof written === 'string' && choices.length > 1 ? didYouMean(written, choices) : '';
  return `expected ${expected}, found ${shown}${hint}`;
}

function unionMessage(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const options =
    'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : [];
  if (options.length > 0) return choiceMessage(discriminatorValue(issue), options);
  const words = issue.errors.flat().flatMap((option) => wordsOf(option));
  return words.length > 0 && typeof issue.input !== 'object'
    ? choiceMessage(issue.input, words)
    : 'matches none of the allowed forms';
}

/** The words that one form of a union allows in place of the whole value. */
function wordsOf(option: z.core.$ZodIssue): readonly string[] {
  return option.code === 'invalid_value' && option.path.length === 0
    ? option.values.map(String)
    : [];
}

function discriminatorValue(issue: Extract<Issue, { code: 'invalid_union' }>): unknown {
  const key = issue.discriminator;
  const input: unknown = issue.input;
  if (key === undefined || typeof input !== 'object' || input === null) return undefined;
  return Object.entries(input).find(([name]) => name === key)?.[1];
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
