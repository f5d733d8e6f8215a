import { json, METHOD_NOT_ALLOWED, NOT_SERVED } from './http/answers.js';
import type { ClusterRequest, RequestSummary, ServedAnswer } from './http/request.js';

const BALANCERS = '/v1/load-balancers';

/** `path` starts after `/cloud-api`. */
export function summarizeCloud({ method }: ClusterRequest): RequestSummary {
  const verb = method === 'GET' ? 'list' : method.toLowerCase();
  return { verb, resource: 'loadbalancers', name: '', mutating: false };
}

/** A load balancer, and to whom it passes traffic on. */
export interface ServedBalancer {
  readonly id: string;
  readonly addresses: readonly string[];
  readonly backends: readonly string[];
}

/** docs/contracts/cloud-api.md over HTTP. */
export function answerCloud(
  balancers: () => readonly ServedBalancer[],
  { method, path }: ClusterRequest,
): ServedAnswer {
  if (path !== BALANCERS) return NOT_SERVED;
  return method === 'GET' ? json(200, pooled(balancers())) : METHOD_NOT_ALLOWED;
}

/** Equal backends are one pool. */
function pooled(balancers: readonly ServedBalancer[]): object {
  const names = new Map<string, string>();
  const pools: Record<string, readonly string[]> = {};
  const items = balancers.map(({ id, addresses, backends }) => {
    const key = backends.join();
    const name = names.get(key) ?? `pool-${String(names.size + 1)}`;
    names.set(key, name);
    pools[name] = backends;
    return { id, addresses, pools: [name] };
  });
  return { items, pools };
}
