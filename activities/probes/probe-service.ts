import { digestJson } from '../../domain/digest.js';
import { MANAGED_BY, MANAGED_BY_LABEL } from '../../domain/manifests/paths.js';
import type { MigrationPolicy, RunTimings } from '../../domain/policy.js';
import { PROBE_SERVICE } from '../../domain/probes/balancer-probe.js';
import { failure } from '../failures.js';
import { CONTENT_NOTE } from '../object-digest.js';
import type { ApiObject, CallOptions, KubernetesApi } from '../ports.js';

export const PROBE_PORTS = { first: 80, changed: 81 } as const;

/** Names the run that made it. */
const RUN_LABEL = 'ccm-migrate.dev/run';

const LEAST_POLL_MS = 500;

/** Time between polls, in ms: load balancers take seconds to minutes. */
export function probePollMs({ pollMs }: Pick<RunTimings, 'pollMs'>): number {
  return Math.max(pollMs, LEAST_POLL_MS);
}

/** What of it is read back. */
export interface ProbedService extends ApiObject {
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

/** What a probe creates; it selects no pods, so nothing can be reached through it. */
export interface ProbeService extends ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: NonNullable<ApiObject['metadata']> & { readonly name: string };
  readonly spec: { readonly type: 'LoadBalancer'; readonly ports: readonly ProbePort[] };
}

interface ProbePort {
  readonly name: string;
  readonly port: number;
  readonly protocol: 'TCP';
}

/** The Service of a probe with this port and these annotations; `runId`: of the run that makes it. */
export function probeService(
  annotations: Readonly<Record<string, string>>,
  runId: string,
  port: number = PROBE_PORTS.first,
): ProbeService {
  const { apiVersion, kind, namespace, name } = PROBE_SERVICE;
  const ports: readonly ProbePort[] = [{ name: 'probe', port, protocol: 'TCP' }];
  const spec = { type: 'LoadBalancer', ports } as const;
  return {
    ...{ apiVersion, kind, spec },
    metadata: {
      ...{ namespace, name },
      labels: { [MANAGED_BY_LABEL]: MANAGED_BY, [RUN_LABEL]: runId },
      annotations: { ...annotations, [CONTENT_NOTE]: digestJson({ annotations, spec, runId }) },
    },
  };
}

/**
 * The Service of a probe as it is; null where there is none. One of the same name that is not ours is never touched:
 * `ForeignEdit`.
 */
export async function findProbeService(
  api: Pick<KubernetesApi, 'get'>,
  options: CallOptions,
): Promise<ProbedService | null> {
  const { namespace, name } = PROBE_SERVICE;
  const found = await api.get<ProbedService>(PROBE_SERVICE, options);
  if (found === null) return null;
  if (found.object.metadata?.labels?.[MANAGED_BY_LABEL] === MANAGED_BY) return found.object;
  throw failure(
    'ForeignEdit',
    `Service ${namespace}/${name} is not ours (label ${MANAGED_BY_LABEL}). Remove or rename it, then \`ccm-migrate retry\``,
  );
}

/** How a Service of a probe is known again; null where there is none, or the server has agreed to delete it. */
export function uidToDelete(service: ProbedService | null): string | null {
  const { uid, deletionTimestamp } = service?.metadata ?? {};
  return uid === undefined || deletionTimestamp !== undefined ? null : uid;
}

/**
 * Why the API server would not create the Service of a probe, from its own answer to a dry run: no namespace, no right, a
 * quota, an admission webhook. Null when it would, or where the policy has no probe.
 */
export async function probeRefusal(
  api: Pick<KubernetesApi, 'get' | 'create'>,
  probes: MigrationPolicy['probes'],
  options: CallOptions,
): Promise<string | null> {
  if (probes === undefined) return null;
  const { annotations } = probes.balancer;
  try {
    // What is left of an earlier run is deleted before a probe.
    if ((await findProbeService(api, options)) !== null) return null;
    await api.create(probeService(annotations, 'dry-run'), { ...options, dryRun: true });
    return null;
  } catch (error) {
    options.signal?.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}
