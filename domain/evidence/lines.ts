import { canonicalJson } from '../digest.js';
import type { EvidenceRecord } from './record.js';
import { SIGNATURE_FORMS } from './signed-result.js';

/** One record as one line of an evidence file, newline included. */
export function evidenceLine(record: EvidenceRecord): string {
  return `${canonicalJson(record)}\n`;
}

export type EvidenceText =
  | {
      readonly kind: 'records';
      readonly records: readonly EvidenceRecord[];
      /** What follows the last newline: an interrupted write, whose caller never continued. */
      readonly torn: string;
    }
  | { readonly kind: 'broken'; readonly at: number; readonly why: string };

/**
 * Reads evidence lines strictly: each must be exactly as `evidenceLine` writes it, so that no other spelling of the same JSON
 * passes for the recorded one. It does not check the chain: `verifyChain` does.
 */
export function parseEvidenceLines(text: string): EvidenceText {
  const end = text.lastIndexOf('\n') + 1;
  const torn = text.slice(end);
  const lines = end === 0 ? [] : text.slice(0, end - 1).split('\n');
  const records: EvidenceRecord[] = [];
  for (const [at, line] of lines.entries()) {
    const record = parsedLine(line);
    if (record === null) return { kind: 'broken', at, why: 'it is not readable as a record' };
    if (canonicalJson(record) !== line) return { kind: 'broken', at, why: 'it was rewritten' };
    records.push(record);
  }
  return { kind: 'records', records, torn };
}

function parsedLine(line: string): EvidenceRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    return isEvidenceRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether foreign JSON has the shape of a record: these members, no others. */
export function isEvidenceRecord(value: unknown): value is EvidenceRecord {
  return (
    hasMembers(value, [...RECORD_MEMBERS, ...optional(value, ['signature'])]) &&
    typeof value['sequence'] === 'number' &&
    isText(value['previous']) &&
    isText(value['hash']) &&
    isEntry(value['entry']) &&
    (value['signature'] === undefined || isWorkerSignature(value['signature']))
  );
}

const RECORD_MEMBERS = ['entry', 'hash', 'previous', 'sequence'];

/** Of an Ed25519 key, in exactly the form in which results carry it. */
function isWorkerSignature(value: unknown): boolean {
  return (
    hasMembers(value, ['keyid', 'sig']) &&
    isText(value['keyid']) &&
    isText(value['sig']) &&
    SIGNATURE_FORMS.keyid.test(value['keyid']) &&
    SIGNATURE_FORMS.sig.test(value['sig'])
  );
}

const INTENT_TEXTS = [
  'actor',
  'after',
  'at',
  'before',
  'cluster',
  'id',
  'object',
  'planDigest',
  'proof',
  'reason',
  'runId',
  'step',
  'verb',
  'workflowId',
];

const AUTHORITY_TEXTS = [
  ...['actor', 'at', 'cluster', 'detail', 'principal', 'role', 'runId', 'statement', 'verb'],
  ...['verdict', 'workflowId'],
];

function isEntry(value: unknown): boolean {
  return isAuthorityEntry(value) || isChangeEntry(value);
}

function isAuthorityEntry(value: unknown): boolean {
  if (!hasMembers(value, ['authority', 'kind'])) return false;
  const { authority, kind } = value;
  return (
    kind === 'authority' &&
    hasMembers(authority, [...AUTHORITY_TEXTS, ...optional(authority, ['policy'])]) &&
    Object.values(authority).every(isText)
  );
}

function isChangeEntry(value: unknown): boolean {
  if (hasMembers(value, ['intent', 'kind'])) {
    return value['kind'] === 'intent' && isIntent(value['intent']);
  }
  if (!hasMembers(value, ['intentId', 'kind', 'outcome'])) return false;
  const { outcome } = value;
  return (
    value['kind'] === 'outcome' &&
    isText(value['intentId']) &&
    hasMembers(outcome, ['at', 'detail', 'kind']) &&
    Object.values(outcome).every(isText)
  );
}

function isIntent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const texts = [...INTENT_TEXTS, ...optional(value, ['due', 'diff'])];
  return (
    hasMembers(value, [...texts, 'epoch']) &&
    isEpoch(value['epoch']) &&
    texts.every((member) => isText(value[member]))
  );
}

/** Members that builds before them did not write. */
function optional(value: unknown, members: readonly string[]): readonly string[] {
  return typeof value === 'object' && value !== null
    ? members.filter((name) => Object.hasOwn(value, name))
    : [];
}

function hasMembers(
  value: unknown,
  members: readonly string[],
): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(value).sort();
  const wanted = [...members].sort();
  // One by one: a name may hold whatever the names would be joined with.
  return names.length === wanted.length && wanted.every((name, at) => name === names[at]);
}

/** A count that JSON of every language keeps. */
function isEpoch(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
