/**
 * Checks that a name means one thing: no exported name is defined in two source files, and no two source files have the
 * same base name. Two functions with one name sooner or later do different things; two types with one name are either the
 * same and defined once, or not the same and misread. Re-exports define nothing. Fails when it read no files.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, extname } from 'node:path';
import ts from 'typescript';

const ROOMS = 'domain activities workflows workers config cli testbed devserver'.split(' ');
const ENDINGS = ['.ts', '.mjs', '.js'];

/** Base names that stand for the same thing wherever they are, each with what that is. */
const SHARED_FILE_NAMES = new Map([
  ['index', 'what a folder offers as a whole'],
  ['main', 'where a program starts'],
  ['failures', 'the closed list of failures, and how activities throw them'],
  ['fleet-migration', 'a fleet: its kind of document, and its workflow'],
  ['close-run', "the end of a run: the workflow's part and its activity"],
  ['add-machine', 'one step: its rule and its execution'],
  ['release-lease', 'one step: its rule and its execution'],
  ['remove-machine', 'one step: its rule and its execution'],
]);

const files = ROOMS.filter(existsSync).flatMap(sourcesBelow);
const names = grouped(files.flatMap((file) => definedExports(file).map((name) => [name, file])));
const fileNames = grouped(files.map((file) => [basename(file, extname(file)), file]));

process.exitCode = report();

function sourcesBelow(room) {
  return readdirSync(room, { recursive: true })
    .map((path) => `${room}/${path.replaceAll('\\', '/')}`)
    .filter((path) => ENDINGS.includes(extname(path)))
    .sort();
}

/** A type and a value of one name in one file are one definition. */
function definedExports(file) {
  const text = readFileSync(file, 'utf8');
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const listed = statements.filter(ts.isExportDeclaration).flatMap(listedNames);
  const defined = statements.filter((one) => !ts.isImportDeclaration(one)).flatMap(definedNames);
  const exported = statements.filter(isExported).flatMap(definedNames);
  return [...new Set([...exported, ...listed.filter((name) => defined.includes(name))])];
}

/** Names of `export { a }`; with `from` they are defined elsewhere. */
function listedNames({ moduleSpecifier, exportClause }) {
  if (moduleSpecifier || !exportClause || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

function isExported({ modifiers }) {
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function definedNames(statement) {
  if (!ts.isVariableStatement(statement)) return statement.name ? [statement.name.text] : [];
  return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
}

function boundNames(name) {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (element.name ? boundNames(element.name) : []));
}

function grouped(pairs) {
  const groups = new Map();
  for (const [name, file] of pairs) groups.set(name, [...(groups.get(name) ?? []), file]);
  return groups;
}

function report() {
  if (files.length === 0) {
    console.error('No source files were read, so the check of names proves nothing.');
    return 1;
  }
  const errors = [...problems()];
  for (const error of errors) console.error(`error ${error}`);
  console.log(`names: ${names.size} exported, ${files.length} files, ${errors.length} violations`);
  return errors.length > 0 ? 1 : 0;
}

function* problems() {
  for (const [name, where] of names) {
    if (where.length > 1) {
      yield `${name} is defined in ${where.join(', ')}: rename one, or define it once`;
    }
  }
  for (const [name, where] of fileNames) {
    if (where.length > 1 && !SHARED_FILE_NAMES.has(name)) {
      yield `${name} is the name of ${where.join(', ')}: rename all but one`;
    }
  }
  for (const name of SHARED_FILE_NAMES.keys()) {
    if ((fileNames.get(name) ?? []).length < 2)
      yield `${name} is no shared file name: take it off the list in tools/check-names.mjs`;
  }
}
