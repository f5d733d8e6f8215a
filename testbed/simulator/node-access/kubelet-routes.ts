import type { SimulatedNode } from '../model.js';
import { badRequestAnswer, json, statusAnswer } from '../../base/http/answers.js';
import type { JsonAnswer } from '../../base/http/request.js';
import { KUBELET_FLAGS_FILE, valueOfCloudProvider } from '../nodes/node-settings.js';
import type { JsonObject } from '../../base/json.js';
import { refusedEpoch } from './epoch-file.js';
import { isPlain, notPlain, refusedContent } from './file-routes.js';

/** GET kubelet: its unit, as kubeadm installs it. */
export function readKubeletUnit(node: SimulatedNode): object {
  return {
    state: node.kubeletState(),
    environmentFiles: [KUBELET_FLAGS_FILE, '/etc/default/kubelet'],
  };
}

/** POST kubelet: restarts it unless it already runs with the wanted provider. */
export function restartKubelet(
  node: SimulatedNode,
  query: URLSearchParams,
  body: JsonObject,
): JsonAnswer {
  const { cloudProvider, path, expect, epoch } = body;
  if (typeof cloudProvider !== 'string' || typeof path !== 'string' || typeof expect !== 'string') {
    return badRequestAnswer('cloudProvider, path and expect must be strings');
  }
  if (!isPlain(path)) return notPlain(path);
  const refused = refusedEpoch(node, query, Number(epoch)) ?? refusedContent(node, path, expect);
  if (refused !== null) return refused;
  if (runsWith(node, cloudProvider)) return json(200, { outcome: 'runsSo' });
  if (path !== KUBELET_FLAGS_FILE) return notItsFile(node, path);
  node.restartKubelet();
  return json(200, { outcome: 'restarted' });
}

function runsWith(node: SimulatedNode, cloudProvider: string): boolean {
  const { kubelets } = node.host();
  return (
    kubelets.length > 0 &&
    kubelets.every((kubelet) => valueOfCloudProvider(kubelet.arguments.join(' ')) === cloudProvider)
  );
}

function notItsFile(node: SimulatedNode, path: string): JsonAnswer {
  return statusAnswer(
    422,
    'NoKubeletUnit',
    `the environment of kubelet.service of node "${node.name}" does not come from ${path}`,
  );
}
