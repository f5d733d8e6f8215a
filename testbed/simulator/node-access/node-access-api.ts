import type { SimulatedCluster, SimulatedNode } from '../model.js';
import { json, METHOD_NOT_ALLOWED, NOT_SERVED, statusAnswer } from '../../base/http/answers.js';
import type {
  ServedAnswer,
  JsonAnswer,
  RequestSummary,
  ClusterRequest,
} from '../../base/http/request.js';
import { jsonBody, notAnObject } from '../../base/http/json-body.js';
import type { JsonObject } from '../../base/json.js';
import { refusedCluster } from './cluster-file.js';
import { killProcess, readHost, readMetrics } from './host-routes.js';
import { deleteFile, readFile, writeFile } from './file-routes.js';
import { readKubeletUnit, restartKubelet } from './kubelet-routes.js';
import { readSnapshot } from './snapshot-route.js';

/** docs/contracts/node-access-api.md, on simulated nodes. Limit for the size of a body. */
export const NODE_ACCESS_BODY_LIMIT = 1024 * 1024;

const ROUTE = /^\/v2\/nodes\/([^/]+)\/(files|host|metrics|snapshot|kill|kubelet)$/;

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  PUT: 'update',
  DELETE: 'delete',
  POST: 'create',
};

/** `path` starts after `/node-access`. */
export function summarizeNodeAccess({ method, path }: ClusterRequest): RequestSummary {
  const [, node = '', part = ''] = ROUTE.exec(path) ?? [];
  const verb = VERBS[method] ?? method.toLowerCase();
  return { verb, resource: `node-access/${part}`, name: node, mutating: method !== 'GET' };
}

type Route = (
  node: SimulatedNode,
  query: URLSearchParams,
  body: JsonObject,
  nowMs: number,
) => ServedAnswer;

const ROUTES: Readonly<Record<string, Route>> = {
  'GET files': readFile,
  'PUT files': writeFile,
  'DELETE files': deleteFile,
  'GET host': (node, _query, _body, nowMs) => json(200, readHost(node, nowMs)),
  'GET metrics': readMetrics,
  'GET snapshot': (node, query, _body, nowMs) => readSnapshot(node, query, nowMs),
  'POST kill': killProcess,
  'GET kubelet': (node) => json(200, readKubeletUnit(node)),
  'POST kubelet': restartKubelet,
};

export function answerNodeAccess(cluster: SimulatedCluster, request: ClusterRequest): ServedAnswer {
  const [, name, part = ''] = ROUTE.exec(request.path) ?? [];
  if (name === undefined) return NOT_SERVED;
  const route = ROUTES[`${request.method} ${part}`];
  if (route === undefined) return METHOD_NOT_ALLOWED;
  const node = cluster.node(name);
  if (node === undefined) return unknownNode(name);
  if (!node.reachable) return unreachable(name);
  const foreign = refusedCluster(node, request.query);
  if (foreign !== null) return foreign;
  const body = request.body === '' ? {} : jsonBody(request.body);
  if (body === null) return notAnObject();
  return route(node, request.query, body, cluster.clock.nowMs());
}

function unknownNode(name: string): JsonAnswer {
  return statusAnswer(
    404,
    'NotFound',
    `node "${name}" is not a control-plane node of this cluster`,
    { name, kind: 'nodes' },
  );
}

function unreachable(name: string): JsonAnswer {
  return statusAnswer(503, 'NodeUnreachable', `node "${name}" cannot be reached`, {
    name,
    kind: 'nodes',
  });
}
