import type { SimulatedCluster } from '../model.js';
import { json, methodNotAllowed, NOT_SERVED, statusAnswer } from '../api/answers.js';
import type { Answer, JsonAnswer, RequestSummary, SimulatedRequest } from '../api/request.js';
import { jsonBody, notAnObject } from '../api/writes.js';
import { killProcess, readHost, readMetrics } from './host-routes.js';
import { deleteFile, readFiles, writeFile } from './file-routes.js';

/** docs/contracts/node-access-api.md, on simulated nodes. Bodies are at most this long. */
export const NODE_ACCESS_BODY_LIMIT = 1024 * 1024;

const ROUTE = /^\/v1\/nodes\/([^/]+)\/(files|host|metrics|kill)$/;

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  PUT: 'update',
  DELETE: 'delete',
  POST: 'create',
};

/** `path` is the one behind `/node-access`. */
export function summarizeNodeAccess({ method, path }: SimulatedRequest): RequestSummary {
  const [, node = '', part = ''] = ROUTE.exec(path) ?? [];
  const verb = VERBS[method] ?? method.toLowerCase();
  return { verb, resource: `node-access/${part}`, name: node, mutating: method !== 'GET' };
}

export function answerNodeAccess(cluster: SimulatedCluster, request: SimulatedRequest): Answer {
  const [, name, part = ''] = ROUTE.exec(request.path) ?? [];
  if (name === undefined) return NOT_SERVED;
  const node = cluster.node(decodeURIComponent(name));
  if (node === undefined) return unknownNode(name);
  if (!node.reachable) return unreachable(name);
  const body = request.body === '' ? {} : jsonBody(request.body);
  if (body === null) return notAnObject();
  const route = `${request.method} ${part}`;
  switch (route) {
    case 'GET files':
      return readFiles(node, request.query);
    case 'PUT files':
      return writeFile(node, request.query, body);
    case 'DELETE files':
      return deleteFile(node, request.query);
    case 'GET host':
      return json(200, readHost(node, cluster.clock.nowMs()));
    case 'GET metrics':
      return readMetrics(node, request.query);
    case 'POST kill':
      return killProcess(node, body);
    default:
      return methodNotAllowed(request.method);
  }
}

function unknownNode(name: string): JsonAnswer {
  return statusAnswer({
    code: 404,
    reason: 'NotFound',
    message: `node "${name}" is not a control-plane node of this cluster`,
    details: { name, kind: 'nodes' },
  });
}

function unreachable(name: string): JsonAnswer {
  return statusAnswer({
    code: 503,
    reason: 'NodeUnreachable',
    message: `node "${name}" cannot be reached`,
    details: { name, kind: 'nodes' },
  });
}
