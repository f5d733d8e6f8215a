/**
 * Checks that the product calls each method of its ports (activities/ports.ts). knip sees exports and no members of
 * interfaces, so a method that nothing calls any more would stay, with its part of every adapter, remote program and
 * contract: code that may change a control plane and that no run exercises. Uses count outside the adapters, which
 * implement the ports, and outside tests and testbed.
 */
import { existsSync } from 'node:fs';
import { relative, sep } from 'node:path';
import ts from 'typescript';

const PORTS = 'activities/ports.ts';
const ADAPTERS = 'activities/adapters/';
const CALLERS = ['domain', 'workflows', 'activities', 'workers', 'config', 'cli', 'devserver'];

const program = readProgram();
const checker = program.getTypeChecker();
const methods = portMethods(program.getSourceFile(PORTS));
const used = new Set(callingFiles().flatMap((file) => usedDeclarations(file)));

process.exitCode = report();

function readProgram() {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');
  const files = CALLERS.filter(existsSync).flatMap((room) => ts.sys.readDirectory(room, ['.ts']));
  return ts.createProgram(files, options);
}

/** `Interface.method` → its declaration; members that are data are no methods. */
function portMethods(source) {
  const interfaces = (source?.statements ?? []).filter(ts.isInterfaceDeclaration);
  return new Map(
    interfaces.flatMap(({ name, members }) =>
      members
        .filter(ts.isMethodSignature)
        .map((method) => [`${name.text}.${method.name.getText(source)}`, method]),
    ),
  );
}

function callingFiles() {
  return program.getSourceFiles().filter(({ fileName }) => {
    const path = relative(process.cwd(), fileName).split(sep).join('/');
    return CALLERS.some((room) => path.startsWith(`${room}/`)) && !path.startsWith(ADAPTERS);
  });
}

/** What the members that a file uses were declared as, by `api.list` or by `const { list } = api`. */
function usedDeclarations(file) {
  const found = [];
  const visit = (node) => {
    found.push(...(memberOf(node)?.declarations ?? []));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function memberOf(node) {
  if (ts.isPropertyAccessExpression(node)) return checker.getSymbolAtLocation(node.name);
  if (!ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return undefined;
  const name = (node.propertyName ?? node.name).getText();
  return checker.getPropertyOfType(checker.getTypeAtLocation(node.parent), name);
}

function report() {
  const errors = problems();
  for (const error of errors) console.error(`error ${error}`);
  if (methods.size === 0) {
    console.error(`No port methods were found in ${PORTS}: the check proves nothing.`);
    return 1;
  }
  console.log(`ports: ${methods.size} methods, ${errors.length} violations`);
  return errors.length > 0 ? 1 : 0;
}

function problems() {
  const unused = [...methods].filter(([, method]) => !used.has(method));
  return unused.map(
    ([name]) =>
      `${name} of ${PORTS} has no caller: delete it with its part of every adapter and contract`,
  );
}
