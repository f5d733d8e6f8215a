import { numberOf, textAt, textsAt, valueAt } from '../../base/json.js';

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
  /** The API server's authorizers refused it. */
  readonly forbidden: boolean;
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
  if (textAt(event, 'kind') !== 'Event') throw new Error(`not an audit event: ${line}`);
  if (textAt(event, 'stage') !== 'ResponseComplete') return null;
  const verb = textAt(event, 'verb');
  const path = textAt(event, 'requestURI');
  const isQuestion = /\/(subject|selfsubject|localsubject|token)[a-z]*reviews(\?|$)/.test(path);
  const isDryRun = path.includes('dryRun=All');
  const mutating = WRITES.has(verb) && !isDryRun && !isQuestion;
  const request = {
    atMs: timeOf(valueAt(event, 'requestReceivedTimestamp')),
    user: textAt(event, 'user', 'username'),
    userAgent: textAt(event, 'userAgent'),
    ...{ path, mutating },
    forbidden: numberOf(valueAt(event, 'responseStatus', 'code'), 0) === 403,
  };
  return { request, leaseWrite: mutating ? leaseWriteIn(event, verb, request) : null };
}

function leaseWriteIn(event: unknown, verb: string, request: ApiRequest): LeaseWrite | null {
  const object = valueAt(event, 'objectRef');
  const code = numberOf(valueAt(event, 'responseStatus', 'code'), Number.POSITIVE_INFINITY);
  if (textAt(object, 'resource') !== 'leases' || code >= 300) return null;
  const body = valueAt(event, 'requestObject');
  // A create may name its object in the body only.
  const name = textAt(object, 'name') || textAt(body, 'metadata', 'name');
  const [address] = textsAt(event, 'sourceIPs');
  return {
    fromMs: request.atMs,
    toMs: timeOf(valueAt(event, 'stageTimestamp')),
    lease: `${textAt(object, 'namespace')}/${name}`,
    holder: holderAfter(verb, body),
    user: request.user,
    address: address ?? '',
  };
}

/** A patch that omits the holder leaves it unchanged; a full Lease without a holder has none. */
function holderAfter(verb: string, body: unknown): string | null {
  if (verb.startsWith('delete')) return '';
  const holder = valueAt(body, 'spec', 'holderIdentity');
  if (typeof holder === 'string') return holder;
  return verb === 'patch' && holder === undefined ? null : '';
}

function timeOf(value: unknown): number {
  const ms = Date.parse(textAt(value));
  if (Number.isNaN(ms)) throw new Error(`not a time: ${String(value)}`);
  return ms;
}
