import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parseYamlDocuments } from '../domain/yaml/parsed-documents.js';
import type { FindingCode } from '../domain/findings/catalogue.js';
import type { ConfigProblem } from './problems.js';
import type { ValidDocument } from './validated-documents.js';
import { isForeign, validateDocument } from './validated-documents.js';
import { readBoundedText } from './regular-file.js';

export const LARGEST_FILE_BYTES = 1024 * 1024;
const YAML_ENDINGS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

export interface ReadResult {
  readonly documents: readonly ValidDocument[];
  readonly problems: readonly ConfigProblem[];
}

/** Reads files, and the YAML files directly in folders; every document is checked, all problems are collected. */
export async function readDocuments(paths: readonly string[]): Promise<ReadResult> {
  const problems: ConfigProblem[] = [];
  const results: ReadResult[] = [];
  for (const path of paths) {
    for (const file of await filesAt(path, problems))
      results.push(await readOne(file, file !== path));
  }
  return together([{ documents: [], problems }, ...results]);
}

/** Reads files that were found in a folder. */
export async function readFound(files: readonly string[]): Promise<ReadResult> {
  const results: ReadResult[] = [];
  for (const file of files) results.push(await readOne(file, true));
  return together(results);
}

function together(results: readonly ReadResult[]): ReadResult {
  return {
    documents: results.flatMap(({ documents }) => documents),
    problems: results.flatMap(({ problems }) => problems),
  };
}

export function isYamlName(name: string): boolean {
  return YAML_ENDINGS.has(extname(name));
}

async function filesAt(path: string, problems: ConfigProblem[]): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter(isYamlName).sort();
    if (names.length === 0)
      problems.push(wholeFile(path, 'no .yaml, .yml or .json file in this folder', 'CCM5016'));
    return names.map((name) => join(path, name));
  } catch (error) {
    problems.push(wholeFile(path, unreadable(error), 'CCM5016'));
    return [];
  }
}

/**
 * In a folder, files of other tools (for example the CCM's own manifest) are skipped; a file named explicitly must be
 * ours.
 */
async function readOne(file: string, inFolder: boolean): Promise<ReadResult> {
  const text = await textOf(file);
  if (typeof text !== 'string') return { documents: [], problems: [text] };
  const parsed = parseYamlDocuments(text);
  const ours = parsed.documents.filter(({ value }) => !inFolder || !isForeign(value));
  if (inFolder && ours.length === 0 && parsed.problems.length === 0) return NOTHING;
  const verdicts = ours.map((document) => validateDocument(file, document));
  const problems = [
    ...parsed.problems.map((problem) => ({ ...problem, file, path: '', code: 'CCM5001' as const })),
    ...verdicts.flatMap((verdict) => (verdict.ok ? [] : verdict.problems)),
  ];
  if (problems.length === 0 && verdicts.length === 0) {
    problems.push(wholeFile(file, 'no document in this file', 'CCM5001'));
  }
  return {
    documents: verdicts.flatMap((verdict) => (verdict.ok ? [verdict.document] : [])),
    problems: firstOf(problems),
  };
}

/** No one reads more of one file, which may hold a hundred thousand. */
const MOST_PROBLEMS = 100;

function firstOf(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const next = problems[MOST_PROBLEMS];
  if (next === undefined) return problems;
  const message = `${String(problems.length - MOST_PROBLEMS)} more problems of this file are not shown`;
  return [...problems.slice(0, MOST_PROBLEMS), { ...next, path: '', message }];
}

const NOTHING: ReadResult = { documents: [], problems: [] };

async function textOf(file: string): Promise<string | ConfigProblem> {
  try {
    return await readBoundedText(file, LARGEST_FILE_BYTES);
  } catch (error) {
    return wholeFile(file, unreadable(error), unreadableCode(error));
  }
}

/** A problem of a file as a whole, shown at its first character. */
export function wholeFile(file: string, message: string, code: FindingCode): ConfigProblem {
  return { file, line: 1, column: 1, path: '', message, code };
}

/** Which page of the catalogue is about a file that could not be read. */
export function unreadableCode(error: unknown): FindingCode {
  const code = readErrorCode(error);
  if (code === 'TOO_LARGE') return 'CCM5015';
  return code === 'NOT_TEXT' ? 'CCM5001' : 'CCM5016';
}

/** The `code` of an error of reading; empty without one. */
export function readErrorCode(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode ? String(error.code) : '';
}

/** Why a file or folder could not be read. */
export function unreadable(error: unknown): string {
  const code = readErrorCode(error);
  switch (code) {
    case 'TOO_LARGE':
      return 'larger than 1 MiB';
    case 'NOT_TEXT':
      return 'is no text in UTF-8';
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
      return 'may not be read by this user';
    case 'NOT_A_FILE':
      return 'is a pipe or a device, and no file';
    default:
      return `cannot be read (${code === '' ? String(error) : code})`;
  }
}
