import { fieldAt, numberOf, textOf, textsOf } from '../../simulator/documents/fields.js';

/** A write of a Lease that the API server carried out. */
export interface LeaseWrite {
  /** When it arrived, and when it was answered: it took effect between the two. Epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** `namespace/name`. */
  readonly lease: string;
  /** Who holds it afterwards: an identity, '' for nobody, null where the write does not say. */
  readonly holder: string | null;
  readonly user: string;
  /** Address that it came from; each node has its own, and none is ever given twice. */
  readonly address: string;
}

/** Any request to the API server that the audit log has. */
export interface ApiRequest {
  readonly atMs: number;
  readonly user: string;
  readonly userAgent: string;
  readonly path: string;
  /** Meant to change something: no dry run, no question. */
  readonly mutating: boolean;
}

export interface AuditEntry {
  readonly request: ApiRequest;
  readonly leaseWrite: LeaseWrite | null;
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/**
 * One line of the API server's audit log (audit.k8s.io/v1 Event, JSON). Null for another stage than the end of a request.
 * @throws Error for a line that is no such event: a log that cannot be read proves nothing.
 */
export function readAuditLine(line: string): AuditEntry | null {
  const event: unknown = JSON.parse(line);
  if (textOf(fieldAt(event, 'kind')) !== 'Event') throw new Error(`no audit event: ${line}`);
  if (textOf(fieldAt(event, 'stage')) !== 'ResponseComplete') return null;
  const verb = textOf(fieldAt(event, 'verb'));
  const path = textOf(fieldAt(event, 'requestURI'));
  const isQuestion = /\/(subject|selfsubject|localsubject|token)[a-z]*reviews(\?|$)/.test(path);
  const isDryRun = path.includes('dryRun=All');
  const mutating = WRITES.has(verb) && !isDryRun && !isQuestion;
  const request = {
    atMs: timeOf(fieldAt(event, 'requestReceivedTimestamp')),
    user: textOf(fieldAt(event, 'user', 'username')),
    userAgent: textOf(fieldAt(event, 'userAgent')),
    ...{ path, mutating },
  };
  return { request, leaseWrite: mutating ? leaseWriteIn(event, verb, request) : null };
}

function leaseWriteIn(event: unknown, verb: string, request: ApiRequest): LeaseWrite | null {
  const object = fieldAt(event, 'objectRef');
  const code = numberOf(fieldAt(event, 'responseStatus', 'code'), Number.POSITIVE_INFINITY);
  if (textOf(fieldAt(object, 'resource')) !== 'leases' || code >= 300) return null;
  const body = fieldAt(event, 'requestObject');
  // A create may name its object in the body alone.
  const name = textOf(fieldAt(object, 'name')) || textOf(fieldAt(body, 'metadata', 'name'));
  const [address] = textsOf(fieldAt(event, 'sourceIPs'));
  return {
    fromMs: request.atMs,
    toMs: timeOf(fieldAt(event, 'stageTimestamp')),
    lease: `${textOf(fieldAt(object, 'namespace'))}/${name}`,
    holder: holderAfter(verb, body),
    user: request.user,
    address: address ?? '',
  };
}

/** A patch that leaves the holder out leaves it as it is; a whole Lease without one has none. */
function holderAfter(verb: string, body: unknown): string | null {
  if (verb.startsWith('delete')) return '';
  const holder = fieldAt(body, 'spec', 'holderIdentity');
  if (typeof holder === 'string') return holder;
  return verb === 'patch' && holder === undefined ? null : '';
}

function timeOf(value: unknown): number {
  const ms = Date.parse(textOf(value));
  if (Number.isNaN(ms)) throw new Error(`no time: ${String(value)}`);
  return ms;
}
