import { oneLine } from '../../domain/findings/plain-text.js';
import { PROBE_SERVICE } from '../../domain/probes/balancer-probe.js';
import type { ApiObject, CallOptions, KubernetesApi } from '../ports.js';

interface ProbeEvent extends ApiObject {
  readonly metadata?: ApiObject['metadata'] & { readonly creationTimestamp?: string };
  readonly involvedObject?: { readonly uid?: string };
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly type?: string;
  readonly count?: number;
}

type Lists = Pick<KubernetesApi, 'list'>;

/**
 * How often the service controller has told that it ensured the load balancer of this Service. Equal Events are one with a
 * count. Source: client-go tools/record/events_cache.go v0.30.14.
 */
export async function ensuredCount(api: Lists, uid: string, options: CallOptions): Promise<number> {
  const events = await eventsAbout(api, uid, options);
  return events
    .filter(({ reason }) => reason === 'EnsuredLoadBalancer')
    .reduce((sum, { count }) => sum + (count ?? 1), 0);
}

const LONGEST_COMPLAINT = 300;

/** The latest Warning Event about this Service, in one line; empty without one. */
export async function latestComplaint(
  api: Lists,
  uid: string,
  options: CallOptions,
): Promise<string> {
  const warnings = (await eventsAbout(api, uid, options)).filter(({ type }) => type === 'Warning');
  const [latest] = warnings.toSorted((a, b) => toldAt(b) - toldAt(a));
  if (latest === undefined) return '';
  const { reason = '', message = '' } = latest;
  return oneLine(`${reason} ${message}`).slice(0, LONGEST_COMPLAINT);
}

function toldAt({ lastTimestamp, metadata }: ProbeEvent): number {
  const at = Date.parse(lastTimestamp ?? metadata?.creationTimestamp ?? '');
  return Number.isFinite(at) ? at : 0;
}

/** Those of an earlier Service of the same name stay for an hour. */
async function eventsAbout(
  api: Lists,
  uid: string,
  options: CallOptions,
): Promise<readonly ProbeEvent[]> {
  const { namespace, name } = PROBE_SERVICE;
  const { items } = await api.list<ProbeEvent>(
    { apiVersion: 'v1', kind: 'Event', namespace },
    { ...options, fieldSelector: `involvedObject.kind=Service,involvedObject.name=${name}` },
  );
  return items.filter(({ involvedObject }) => uid !== '' && involvedObject?.uid === uid);
}
