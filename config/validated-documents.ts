import type { ParsedDocument } from '../domain/yaml/parsed-documents.js';
import { ClusterInventory } from './kinds/cluster-inventory.js';
import { API_VERSION } from './kinds/envelope.js';
import { FleetMigration } from './kinds/fleet-migration.js';
import { WrittenPolicy } from './kinds/migration-policy.js';
import { knownKeysAt } from './known-keys.js';
import { didYouMean, nearestName } from './nearest-name.js';
import type { ConfigProblem, SchemaComplaint } from './problems.js';
import { complaints } from './problems.js';

/** Every kind that people write, by its value of `kind:`. */
export const KINDS = { FleetMigration, ClusterInventory, MigrationPolicy: WrittenPolicy } as const;

type KindName = keyof typeof KINDS;

const KIND_NAMES: readonly string[] = Object.keys(KINDS);

export type AnyKind = FleetMigration | ClusterInventory | WrittenPolicy;

/** A document that passed its schema, with the positions of its parts. */
export interface ValidDocument<T extends AnyKind = AnyKind> {
  readonly file: string;
  readonly content: T;
  readonly source: ParsedDocument;
}

export type DocumentVerdict =
  | { readonly ok: true; readonly document: ValidDocument }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Checks one document against the schema of its kind. */
export function validateDocument(file: string, source: ParsedDocument): DocumentVerdict {
  const kind = kindOf(source.value);
  if (typeof kind !== 'string' || !isKindName(kind)) {
    return { ok: false, problems: [unknownKind(file, source, kind)] };
  }
  const lost = lostKeys(source.value, []);
  if (lost.length > 0)
    return { ok: false, problems: lost.map((path) => lostKey(file, source, path)) };
  const result = KINDS[kind].safeParse(source.value, { reportInput: true });
  if (result.success) return { ok: true, document: { file, content: result.data, source } };
  const problems = result.error.issues
    .flatMap((issue) => complaints(issue, (path) => knownKeysAt(KINDS[kind], path)))
    .map((complaint) => problemAt(file, source, complaint));
  return { ok: false, problems };
}

type Path = readonly (string | number)[];

/** Where a key stands that schemas drop without a word: a selector would then select by nothing. */
function lostKeys(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, isList ? Number(key) : key];
    return key === '__proto__' ? [at] : lostKeys(inner, at);
  });
}

function lostKey(file: string, source: ParsedDocument, path: Path): ConfigProblem {
  return problemAt(file, source, { path, about: 'key', message: 'unknown key', code: 'CCM5002' });
}

/** A problem at a path of a document, placed at its key or its value. */
export function problemAt(
  file: string,
  source: ParsedDocument,
  { path, about, message, code }: SchemaComplaint,
): ConfigProblem {
  const place = about === 'key' ? source.keyPositionOf(path) : source.positionOf(path);
  return { file, ...place, path: path.join('.'), message, code };
}

export function isOfKind<K extends KindName>(
  document: ValidDocument,
  kind: K,
): document is ValidDocument<Extract<AnyKind, { kind: K }>> {
  return document.content.kind === kind;
}

function isKindName(name: string): name is KindName {
  return Object.hasOwn(KINDS, name);
}

function kindOf(value: unknown): unknown {
  return memberOf(value, 'kind');
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

/** Whether a document belongs to another tool: another API group, and not a kind that was meant to be ours. */
export function isForeign(value: unknown): boolean {
  const apiVersion = memberOf(value, 'apiVersion');
  const kind = kindOf(value);
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return false;
  return !apiVersion.startsWith('ccm-migrate') && nearestName(kind, KIND_NAMES) === null;
}

function unknownKind(file: string, source: ParsedDocument, kind: unknown): ConfigProblem {
  const choices = KIND_NAMES.join(', ');
  const message =
    typeof kind === 'string'
      ? `unknown kind "${kind}"${didYouMean(kind, KIND_NAMES)} (known: ${choices})`
      : `required, and missing: every document begins with apiVersion: ${API_VERSION} and a kind (${choices})`;
  return problemAt(file, source, { path: ['kind'], about: 'value', message, code: 'CCM5005' });
}
