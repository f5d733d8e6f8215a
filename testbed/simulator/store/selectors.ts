import type { StoredObject } from '../model.js';
import { textAt } from '../../base/json.js';
import { isLabelValue, LABEL_VALUE } from './label-value.js';

export type Matches = (object: StoredObject) => boolean;

export type Selection =
  | { readonly ok: true; readonly matches: Matches }
  | { readonly ok: false; readonly message: string };

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

const SET = /^([\w./-]+)\s+(in|notin)\s+\(([^)]*)\)$/;
const EQUAL = /^([\w./-]+)\s*(==|=|!=)\s*([\w.-]*)$/;
const EXISTS = /^(!?)\s*([\w./-]+)$/;

/** Splits at commas outside of parentheses. */
function splitTerms(selector: string): readonly string[] {
  return selector
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function setRequirement(term: string): Requirement | null {
  const found = SET.exec(term);
  if (found === null) return null;
  const [, key = '', operator, list = ''] = found;
  const values = new Set(list.split(',').map((value) => value.trim()));
  return operator === 'in'
    ? (labels) => labels[key] !== undefined && values.has(labels[key])
    : (labels) => labels[key] === undefined || !values.has(labels[key]);
}

function equalRequirement(term: string): Requirement | null {
  const found = EQUAL.exec(term);
  if (found === null) return null;
  const [, key = '', operator, value = ''] = found;
  return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
}

function existsRequirement(term: string): Requirement | null {
  const found = EXISTS.exec(term);
  if (found === null) return null;
  const [, negation, key = ''] = found;
  return negation === '!'
    ? (labels) => labels[key] === undefined
    : (labels) => labels[key] !== undefined;
}

/** Label selector as in a query: `a=b,c!=d,e in (f,g),h,!i`. */
export function labelSelection(selector: string): Selection {
  const requirements: Requirement[] = [];
  for (const term of splitTerms(selector)) {
    const requirement = setRequirement(term) ?? equalRequirement(term) ?? existsRequirement(term);
    if (requirement === null) {
      return { ok: false, message: `unable to parse requirement: ${whyBroken(term)}` };
    }
    requirements.push(requirement);
  }
  return {
    ok: true,
    matches: (object) => requirements.every((holds) => holds(object.metadata.labels ?? {})),
  };
}

/** With the texts of apimachinery pkg/labels for the two common mistakes: an unclosed set, and an invalid value. */
function whyBroken(term: string): string {
  const [, key, value] = /^([\w./-]+)\s*==?\s*(.+)$/.exec(term) ?? [];
  if (key !== undefined && value !== undefined && !isLabelValue(value)) {
    return `values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${LABEL_VALUE}`;
  }
  return "found '', expected: ',', ')' or identifier";
}

/** Kinds whose conversion functions list their supported fields (pkg/apis/core/v1/conversion.go). */
const WITH_OWN_FIELDS: ReadonlySet<string> = new Set(['nodes', 'pods', 'namespaces', 'events']);

/** Fields that can be selected; the API server supports few, and rejects others. */
const FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['metadata.name', []],
  ['metadata.namespace', []],
  ['spec.nodeName', ['pods']],
  ['status.phase', ['pods', 'namespaces', 'persistentvolumes']],
  ['involvedObject.name', ['events']],
  ['involvedObject.kind', ['events']],
  ['reason', ['events']],
  ['type', ['secrets', 'events']],
]);

const FIELD_TERM = /^([\w.]+)(==|=|!=)(.*)$/;

function fieldSelection(resource: string, selector: string): Selection {
  const requirements: Matches[] = [];
  for (const term of splitTerms(selector)) {
    const [, field = '', operator, value = ''] = FIELD_TERM.exec(term) ?? [];
    const only = FIELDS.get(field);
    if (only === undefined || (only.length > 0 && !only.includes(resource))) {
      return { ok: false, message: unknownField(resource, field, term) };
    }
    const path = field.split('.');
    const wanted = operator !== '!=';
    requirements.push((object) => (textAt(object, ...path) === value) === wanted);
  }
  return { ok: true, matches: (object) => requirements.every((holds) => holds(object)) };
}

function unknownField(resource: string, field: string, term: string): string {
  if (field === '') return `invalid selector: '${term}'; can't understand '${term}'`;
  if (WITH_OWN_FIELDS.has(resource)) return `field label not supported: ${field}`;
  const known = '"metadata.name", "metadata.namespace"';
  return `${JSON.stringify(field)} is not a known field selector: only ${known}`;
}

/** Label and field selector of a list or watch, combined. */
export function selection(resource: string, query: URLSearchParams): Selection {
  const labels = labelSelection(query.get('labelSelector') ?? '');
  if (!labels.ok) return labels;
  const fields = fieldSelection(resource, query.get('fieldSelector') ?? '');
  if (!fields.ok) return fields;
  return { ok: true, matches: (object) => labels.matches(object) && fields.matches(object) };
}
