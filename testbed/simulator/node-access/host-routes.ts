import type { SimulatedNode } from '../model.js';
import { badRequestAnswer, json, statusAnswer } from '../../base/http/answers.js';
import type { ServedAnswer, JsonAnswer } from '../../base/http/request.js';
import type { JsonObject } from '../../base/json.js';
import { refusedEpoch } from './epoch-file.js';

/** GET host: boot, clock and the managers' processes as in /proc. */
export function readHost(node: SimulatedNode, nowMs: number): object {
  const { hostname, bootId, bootTimeMs, processes, kubelets } = node.host();
  return { hostname, bootId, bootTimeMs, nowMs, processes, kubelets };
}

/** GET metrics of a manager on the node's loopback. */
export function readMetrics(node: SimulatedNode, query: URLSearchParams): ServedAnswer {
  const manager = query.get('manager');
  if (manager !== 'kcm' && manager !== 'ccm') {
    return badRequestAnswer('manager must be kcm or ccm');
  }
  const text = node.metrics(manager);
  const refused = text === null ? null : node.metricsRefusal(manager);
  if (refused !== null) {
    const message = `${manager} on node "${node.name}" answered 500: ${refused}`;
    return statusAnswer(502, 'ManagerRefused', message);
  }
  if (text !== null) return { kind: 'text', code: 200, text };
  const message = `no ${manager} listens on node "${node.name}"`;
  return statusAnswer(404, 'NotFound', message);
}

/** POST kill: SIGKILL for this very process, while it is stopped. */
export function killProcess(
  node: SimulatedNode,
  query: URLSearchParams,
  body: JsonObject,
): JsonAnswer {
  const [pid, startTicks] = [Number(body['pid']), Number(body['startTicks'])];
  if (!Number.isInteger(pid) || !Number.isInteger(startTicks)) {
    return badRequestAnswer('pid and startTicks must be whole numbers');
  }
  const refused = refusedEpoch(node, query, Number(body['epoch']));
  if (refused !== null) return refused;
  const named = `process ${pid} on node "${node.name}"`;
  const found = node.host().processes.find((each) => each.pid === pid);
  if (found?.startTicks !== startTicks) {
    return statusAnswer(404, 'NotFound', `no manager is ${named} since then`);
  }
  if (!found.paused) return statusAnswer(409, 'NotStopped', `${named} runs`);
  node.kill(pid);
  return json(200, {});
}
