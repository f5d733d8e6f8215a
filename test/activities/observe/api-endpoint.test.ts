import { expect, it } from '@jest/globals';
import { endpointNode, type SeenEndpoints } from '../../../activities/observe/api-endpoint.js';

function node(name: string, ip: string, ...hosts: (string | null)[]): SeenEndpoints {
  const addresses = [{ type: 'InternalIP', address: ip }];
  return { node: { metadata: { name }, status: { addresses } }, hosts };
}
const BALANCER = 'api.lab.invalid';

it.each<[string, readonly SeenEndpoints[], string | null | undefined]>([
  [
    'none behind a balancer',
    [node('cp-1', '10.0.0.1', BALANCER), node('cp-2', '10.0.0.2', BALANCER)],
    null,
  ],
  [
    'none where each node uses its own',
    [node('cp-1', '10.0.0.1', '10.0.0.1'), node('cp-2', '10.0.0.2', 'cp-2')],
    null,
  ],
  [
    'none behind loopback, which is no other node’s',
    [node('cp-1', '10.0.0.1', '127.0.0.1'), node('cp-2', '10.0.0.2', 'localhost')],
    null,
  ],
  [
    'one node that serves them all',
    [node('cp-1', '10.0.0.1', '10.0.0.1'), node('cp-2', '10.0.0.2', '10.0.0.1')],
    'cp-1',
  ],
  [
    'one node that serves a kubelet, by its name',
    [node('cp-1', '10.0.0.1', BALANCER, 'cp-2.lab.invalid'), node('cp-2', '10.0.0.2', BALANCER)],
    'cp-2',
  ],
  [
    'one node, though a file was not read',
    [node('cp-1', '10.0.0.1', null), node('cp-2', '10.0.0.2', '10.0.0.1')],
    'cp-1',
  ],
  [
    'unknown while a file was not read',
    [node('cp-1', '10.0.0.1', BALANCER), node('cp-2', '10.0.0.2', BALANCER, null)],
    undefined,
  ],
  ['unknown without any node', [], undefined],
])('endpointNode finds the node that others reach the API through: %s', (_case, seen, expected) => {
  expect(endpointNode(seen)).toBe(expected);
});
