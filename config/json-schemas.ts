import { z } from 'zod';
import { KINDS } from './kinds/index.js';
import { MigrationPlan } from './outputs/migration-plan.js';
import {
  AuditExport,
  AuditVerification,
  CheckReport,
  CodeList,
  CodePage,
  CommandError,
  DemoReport,
  LintReport,
  Version,
} from './outputs/report-documents.js';
import { CommandResult, RunList, RunStarted, RunStatusDocument } from './outputs/run-documents.js';

/** Every document that this tool prints with `-o json`, by its `kind`. */
const OUTPUTS = {
  MigrationPlan,
  LintReport,
  CheckReport,
  RunStatus: RunStatusDocument,
  RunList,
  RunStarted,
  CommandResult,
  AuditExport,
  AuditVerification,
  DemoReport,
  Version,
  CodePage,
  CodeList,
  CommandError,
} as const;

const ALL_SCHEMAS = { ...KINDS, ...OUTPUTS } as const;

/** The documents that people write and that this tool prints. */
export type SchemaName = keyof typeof ALL_SCHEMAS;

export const SCHEMA_NAMES: readonly SchemaName[] = Object.keys(ALL_SCHEMAS).filter(isSchemaName);

export function isSchemaName(name: string): name is SchemaName {
  return Object.hasOwn(ALL_SCHEMAS, name);
}

/** The parts of a JSON Schema that we read. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly oneOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly items?: SchemaNode | readonly SchemaNode[];
}

/** JSON Schema (draft-07, as editors read it) of a kind as people write it, or of an output as it is printed. */
export function jsonSchemaOf(name: SchemaName): object {
  return z.toJSONSchema(ALL_SCHEMAS[name], { target: 'draft-07', io: 'input' });
}

/** The text of `config/schema/<name>.json`. */
export function jsonSchemaText(name: SchemaName): string {
  return `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`;
}

/** Keys that a kind knows at a path, over all forms the value there can take. */
export function knownKeysAt(
  kind: SchemaName,
  path: readonly (string | number)[],
): readonly string[] {
  const root: SchemaNode = jsonSchemaOf(kind);
  const nodes = path.reduce<readonly SchemaNode[]>(
    (current, part) => current.flatMap(forms).flatMap((node) => childrenOf(node, part)),
    [root],
  );
  return nodes.flatMap(forms).flatMap((node) => Object.keys(node.properties ?? {}));
}

function forms(node: SchemaNode): readonly SchemaNode[] {
  const inner = [...(node.oneOf ?? []), ...(node.anyOf ?? [])];
  return inner.length === 0 ? [node] : inner.flatMap(forms);
}

function childrenOf(node: SchemaNode, part: string | number): readonly SchemaNode[] {
  if (typeof part === 'string') {
    const child = node.properties?.[part];
    return child === undefined ? [] : [child];
  }
  return node.items === undefined ? [] : [node.items].flat();
}
