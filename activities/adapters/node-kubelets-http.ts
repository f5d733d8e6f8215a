import type { NodeKubelets } from '../ports.js';
import { answered } from './contract-answer.js';
import type { HttpClient } from './http.js';
import { KubeletRestartAnswer, KubeletUnitAnswer } from './node-answers.js';
import { nodePath, reading, sendTo } from './node-request.js';

/** Kubelets of nodes over docs/contracts/node-access-api.md. */
export function createNodeKubelets(http: HttpClient): NodeKubelets {
  return {
    unit: async (node, options) => {
      const request = reading(`read the kubelet's unit of ${node}`, node, 'kubelet', {});
      const { json } = await sendTo(http, node, request, options);
      return answered(KubeletUnitAnswer, json, request.what);
    },
    restart: async (node, { cloudProvider, flags, epoch }, options) => {
      const what = `restart the kubelet of ${node}`;
      const { json } = await sendTo(
        http,
        node,
        {
          what,
          method: 'POST',
          path: nodePath(node, 'kubelet'),
          body: { cloudProvider, path: flags.path, expect: flags.hash, epoch },
          safe: false,
        },
        options,
      );
      return answered(KubeletRestartAnswer, json, what).outcome;
    },
  };
}
