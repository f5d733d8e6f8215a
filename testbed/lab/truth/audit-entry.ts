import { fieldAt, numberOf, textOf, textsOf } from '../../base/fields.js';

/** A write of a Lease that the API server executed. */
export interface LeaseWrite {
  /** Arrival and response: the write took effect between the two. Epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** `namespace/name`. */
  readonly lease: string;
  /** Holder after the write: an identity, '' for none, null when the write does not set it. */
  readonly holder: string | null;
  readonly user: string;
  /** Source address; each node has its own, and none is ever reused. */
  readonly address: string;
}

/** Any request to the API server in the audit log. */
export interface ApiRequest {
  readonly atMs: number;
  readonly user: string;
  readonly userAgent: string;
  readonly path: string;
  /** Intended to change something: no dry run, no review. */
  readonly mutating: boolean;
}

export interface AuditEntry {
  readonly request: ApiRequest;
  readonly leaseWrite: LeaseWrite | null;
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/**
 * One line of the API server's audit log (audit.k8s.io/v1 Event, JSON). Null for any stage but the end of a request.
 * @throws Error for a line that is not such an event: a log that cannot be read proves nothing.
 */
export function readAuditLine(line: string): AuditEntry | null {
  const event: unknown = JSON.parse(line);
  if (textOf(fieldAt(event, 'kind')) !== 'Event') throw new Error(`not an audit event: ${line}`);
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
  // A create may name its object in the body only.
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

/** A patch that omits the holder leaves it unchanged; a full Lease without a holder has none. */
function holderAfter(verb: string, body: unknown): string | null {
  if (verb.startsWith('delete')) return '';
  const holder = fieldAt(body, 'spec', 'holderIdentity');
  if (typeof holder === 'string') return holder;
  return verb === 'patch' && holder === undefined ? null : '';
}

function timeOf(value: unknown): number {
  const ms = Date.parse(textOf(value));
  if (Number.isNaN(ms)) throw new Error(`not a time: ${String(value)}`);
  return ms;
}
