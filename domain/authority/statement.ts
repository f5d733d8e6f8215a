import { canonicalJson } from '../digest.js';
import type { Target } from '../vocabulary.js';
import { type StatementVerb, isStatementVerb } from './verb-roles.js';

/**
 * What a principal signs: one request, bound to what it may change, for a time. Canonical JSON (RFC 8785) of texts and whole
 * numbers only, so that every implementation writes the same bytes. A text that does not apply is empty.
 */
export interface Statement {
  readonly statement: 1;
  readonly verb: StatementVerb;
  /** UID of the cluster; empty for a fleet. */
  readonly cluster: string;
  /** Name of the fleet; empty for a run of its own. */
  readonly fleet: string;
  readonly target: '' | Target;
  /** `byPolicy`: the policy may turn it back to KCM by itself, which needs no command then. */
  readonly turnsBack: '' | 'byPolicy';
  /** Digests of what a run is started with, as `sha256:<hex>`; empty in commands. */
  readonly plan: string;
  readonly policy: string;
  readonly materials: string;
  readonly timings: string;
  /** Root over the members of a fleet: domain/authority/member-tree.ts. */
  readonly members: string;
  /** Reason for which another run is displaced. */
  readonly takeOver: string;
  readonly workflowId: string;
  /** First run of the workflow that a command is for; empty where it starts one. */
  readonly runId: string;
  /** Of a command its id; of a start a random text. */
  readonly nonce: string;
  /** Of a command to a run, which finding or gate; of one to a fleet, the digest of its scope and order. */
  readonly subject: string;
  /** As claimed; who signed it is known by the key. */
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  /** When it may be accepted, in epoch seconds. What was accepted is not stopped by the end. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const TEXTS = [
  ...['verb', 'cluster', 'fleet', 'target', 'turnsBack', 'plan', 'policy', 'materials'],
  ...[
    'timings',
    'members',
    'takeOver',
    'workflowId',
    'runId',
    'nonce',
    'subject',
    'actor',
    'reason',
    'ticket',
  ],
] as const;
const NUMBERS = ['notAfter', 'notBefore', 'statement'] as const;
const MEMBERS = [...TEXTS, ...NUMBERS].sort().join();

/** The bytes that are signed, as text. */
export function statementText(statement: Statement): string {
  return canonicalJson(statement);
}

/** A statement from its text; null unless it is written exactly as `statementText` writes it. */
export function readStatement(text: string): Statement | null {
  const value = parsed(text);
  return isStatement(value) && statementText(value) === text ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isStatement(value: unknown): value is Statement {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  return (
    [...members.keys()].sort().join() === MEMBERS &&
    TEXTS.every((name) => typeof members.get(name) === 'string') &&
    NUMBERS.every((name) => Number.isSafeInteger(members.get(name))) &&
    members.get('statement') === 1 &&
    isStatementVerb(members.get('verb')) &&
    ['', 'ccm', 'kcm'].includes(String(members.get('target'))) &&
    ['', 'byPolicy'].includes(String(members.get('turnsBack')))
  );
}

/** What a request says; what is left out does not apply. */
export type StatementPart = Partial<Statement> &
  Pick<Statement, 'verb' | 'workflowId' | 'nonce' | 'notBefore' | 'notAfter'>;

export function wholeStatement(part: StatementPart): Statement {
  return { ...NOTHING, ...part };
}

const NOTHING: Omit<Statement, 'verb' | 'workflowId' | 'nonce' | 'notBefore' | 'notAfter'> = {
  statement: 1,
  ...{ cluster: '', fleet: '', target: '', turnsBack: '', plan: '', policy: '', materials: '' },
  ...{ timings: '', members: '', takeOver: '', runId: '', subject: '' },
  ...{ actor: '', reason: '', ticket: '' },
};
