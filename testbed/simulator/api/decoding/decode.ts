import type { ApiRefusal } from '../../model.js';
import { isObject, textAt, type JsonObject } from '../../../base/json.js';
import { badRequest, invalid, invalidValue, unsupportedValue } from '../../store/refusals.js';
import { apiVersionOf, type ResourceKind } from '../../store/resources.js';
import { checkShape } from './check-shape.js';
import { duplicateMembers } from './duplicates.js';
import { shapeOf } from './shapes.js';

export type Decoded =
  | { readonly ok: true; readonly object: JsonObject; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly refused: ApiRefusal };

/** What becomes of unknown and duplicate fields. */
type Validation = 'Ignore' | 'Strict' | 'Warn';

const DIRECTIVES = ['', 'Ignore', 'Strict', 'Warn'];
const SCHEME = 'pkg/runtime/scheme.go:100';

const refuse = (message: string): Decoded => ({ ok: false, refused: badRequest(message) });

/** `fieldValidation` of a request, or the refusal of an invalid value. The server's default is to warn. */
export function fieldValidation(
  query: URLSearchParams,
  options: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): ApiRefusal | Validation {
  const asked = query.get('fieldValidation') ?? '';
  if (asked === 'Ignore' || asked === 'Strict') return asked;
  if (DIRECTIVES.includes(asked)) return 'Warn';
  return invalid({ kind: options, group: 'meta.k8s.io', name: '' }, [
    unsupportedValue('fieldValidation', JSON.stringify(asked), DIRECTIVES),
  ]);
}

/** Decodes a body into an object of a kind, with the API server's error texts (apiserver handlers/create.go, rest.go). */
export function decodeBody(text: string, entry: ResourceKind, validation: Validation): Decoded {
  const read = parsed(text);
  if (read.kind === 'broken') {
    const what = `the object provided is unrecognized (must be of type ${entry.kind})`;
    return refuse(
      `${what}: couldn't get version/kind; json parse error: ${read.why} (${read.shown})`,
    );
  }
  const { object } = read;
  const apiVersion = textAt(object, 'apiVersion') || apiVersionOf(entry);
  const kind = textAt(object, 'kind') || entry.kind;
  const version = apiVersion.split('/').at(-1) ?? '';
  const wrong = (why: string): Decoded =>
    refuse(`${kind} in version "${version}" cannot be handled as a ${entry.kind}: ${why}`);
  if (apiVersion !== apiVersionOf(entry)) return wrong(unregistered(kind, apiVersion));
  if (kind !== entry.kind) {
    const [from, to] = [`v1.${kind}`, `core.${entry.kind}`];
    return wrong(`converting (${from}) to (${to}): unknown conversion`);
  }
  return judged({ object, entry, validation, duplicates: duplicateMembers(text) }, wrong);
}

/** Decodes the result of a patch as its kind; a refusal quotes the object (handlers/patch.go). */
export function decodePatched(
  object: JsonObject,
  entry: ResourceKind,
  validation: Validation,
): Decoded {
  const wrong = (why: string): Decoded => {
    const quoted = JSON.stringify(JSON.stringify(object));
    const subject = { kind: '', group: '', name: '' };
    return { ok: false, refused: invalid(subject, [invalidValue('patch', quoted, why)]) };
  };
  const apiVersion = textAt(object, 'apiVersion');
  const kind = textAt(object, 'kind');
  if (apiVersion !== apiVersionOf(entry) || kind !== entry.kind) {
    return wrong(unregistered(kind, apiVersion));
  }
  return judged({ object, entry, validation, duplicates: [] }, wrong);
}

interface ReadObject {
  readonly object: JsonObject;
  readonly entry: ResourceKind;
  readonly validation: Validation;
  readonly duplicates: readonly string[];
}

/**
 * Checks the fields of an object whose kind is correct; the caller words the error. Drops top-level members that the
 * kind does not define, as Go does. Deeper levels are checked by strict decoding only.
 */
function judged(
  { object, entry, validation, duplicates }: ReadObject,
  wrong: (why: string) => Decoded,
): Decoded {
  const shape = shapeOf(entry.kind);
  if (shape === null) return { ok: true, object, warnings: [] };
  const { mismatch, unknown } = checkShape(object, shape);
  if (mismatch !== null) return wrong(mismatch);
  const strict = [
    ...duplicates.map((path) => `duplicate field "${path}"`),
    ...unknown.map((path) => `unknown field "${path}"`),
  ];
  if (validation === 'Strict' && strict.length > 0) {
    return wrong(`strict decoding error: ${strict.join(', ')}`);
  }
  const known = Object.entries(object).filter(([name]) => Object.hasOwn(shape.members, name));
  const warnings = validation === 'Warn' ? strict : [];
  return { ok: true, object: Object.fromEntries(known), warnings };
}

function unregistered(kind: string, apiVersion: string): string {
  return `no kind "${kind}" is registered for version "${apiVersion}" in scheme "${SCHEME}"`;
}

type Parsed =
  | { readonly kind: 'object'; readonly object: JsonObject }
  | { readonly kind: 'broken'; readonly why: string; readonly shown: string };

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function parsed(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { kind: 'object', object: value };
    const type = Array.isArray(value) ? 'array' : typeof value;
    const why = `json: cannot unmarshal ${type} into Go value of type ${TYPE_META}`;
    return { kind: 'broken', why, shown: shown(text) };
  } catch {
    return { kind: 'broken', why: 'unexpected end of JSON input', shown: shown(text) };
  }
}

/** The start of a body: verbatim when it resembles JSON, else in hexadecimal (handlers/rest.go `summarizeData`). */
function shown(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const first = bytes.subarray(0, 30);
  const cut = bytes.length > first.length ? ' ...' : '';
  return `${text.startsWith('{') ? first.toString() : first.toString('hex')}${cut}`;
}
