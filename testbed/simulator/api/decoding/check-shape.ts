import { isObject } from '../../../base/json.js';
import type { Shape, Struct } from './shapes.js';

export interface ShapeFindings {
  /** The first value of a wrong type, worded as by Go's decoder; null when there is none. */
  readonly mismatch: string | null;
  /** Paths of members that the kind does not define, in document order. */
  readonly unknown: readonly string[];
}

/** Compares an object with the Go type that it is decoded into (sigs.k8s.io/json). */
export function checkShape(object: unknown, shape: Struct): ShapeFindings {
  const findings = { mismatch: null as string | null, unknown: [] as string[] };
  visit(object, shape, { path: '', owner: shape.go }, findings);
  return findings;
}

interface Place {
  /** For example `spec.renewTime`. */
  readonly path: string;
  /** The Go type that declares the member. */
  readonly owner: string;
}

interface Collected {
  mismatch: string | null;
  readonly unknown: string[];
}

function visit(value: unknown, shape: Shape, place: Place, found: Collected): void {
  // Go keeps the zero value for a JSON null.
  if (value === null || value === undefined) return;
  switch (shape.kind) {
    case 'any':
      return;
    case 'scalar':
      if (typeof value !== shape.json) note(found, place, jsonTypeOf(value), shape.go);
      return;
    case 'time':
      visitTime(value, shape.layout, found);
      return;
    case 'list':
      visitList(value, shape, place, found);
      return;
    case 'map':
      visitMap(value, shape.values, place, found);
      return;
    case 'struct':
      visitStruct(value, shape, place, found);
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** The dot and six digits that every MicroTime has. */
const MICRO = 7;

/**
 * Time types unmarshal themselves, so their errors name no member (apimachinery
 * pkg/apis/meta/v1/{time,micro_time}.go).
 */
function visitTime(value: unknown, layout: string, found: Collected): void {
  if (typeof value !== 'string') {
    found.mismatch ??= `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type string`;
    return;
  }
  const wrong = misreadTime(value, layout);
  if (wrong === null) return;
  const [part = '', wanted = ''] = wrong.map((text) => JSON.stringify(text));
  const what = `parsing time ${JSON.stringify(value)} as ${JSON.stringify(layout)}`;
  found.mismatch ??= `${what}: cannot parse ${part} as ${wanted}`;
}

/**
 * The part of a time that does not parse, and the part of the layout that it should match; null when all of it
 * parses.
 */
function misreadTime(value: string, layout: string): readonly [string, string] | null {
  const [, fraction = '', rest] = TIME.exec(value) ?? [];
  if (rest === undefined) return [value, '2006'];
  const fits = !layout.includes('.000000') || fraction.length === MICRO;
  return fits ? null : [`${fraction}${rest}`, '.000000'];
}

function visitList(
  value: unknown,
  { items, go }: Extract<Shape, { kind: 'list' }>,
  place: Place,
  found: Collected,
): void {
  if (!Array.isArray(value)) {
    note(found, place, jsonTypeOf(value), go);
    return;
  }
  for (const [index, item] of value.entries()) {
    visit(item, items, { ...place, path: `${place.path}[${index}]` }, found);
  }
}

function visitMap(value: unknown, values: Shape, place: Place, found: Collected): void {
  if (!isObject(value)) {
    note(found, place, jsonTypeOf(value), 'map[string]string');
    return;
  }
  // The decoder reports the map itself, not its key.
  for (const member of Object.values(value)) visit(member, values, place, found);
}

function visitStruct(value: unknown, shape: Struct, place: Place, found: Collected): void {
  if (!isObject(value)) {
    note(found, place, jsonTypeOf(value), `v1.${shape.go}`);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const known = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
    if (known === undefined) found.unknown.push(path);
    else visit(member, known, { path, owner: shape.go }, found);
  }
}

function note(found: Collected, { path, owner }: Place, json: string, go: string): void {
  const field = path.replaceAll(/\[\d+\]/g, '');
  found.mismatch ??= `json: cannot unmarshal ${json} into Go struct field ${owner}.${field} of type ${go}`;
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
