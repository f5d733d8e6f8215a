import { json, METHOD_NOT_ALLOWED, NOT_SERVED } from './http/answers.js';
import type { ClusterRequest, RequestSummary, ServedAnswer } from './http/request.js';

const BALANCERS = '/v1/load-balancers';

/** `path` starts after `/cloud-api`. */
export function summarizeCloud({ method }: ClusterRequest): RequestSummary {
  const verb = method === 'GET' ? 'list' : method.toLowerCase();
  return { verb, resource: 'loadbalancers', name: '', mutating: false };
}

/** docs/contracts/cloud-api.md over HTTP. */
export function answerCloud(
  balancers: () => readonly object[],
  { method, path }: ClusterRequest,
): ServedAnswer {
  if (path !== BALANCERS) return NOT_SERVED;
  return method === 'GET' ? json(200, { items: balancers() }) : METHOD_NOT_ALLOWED;
}
