import { expect, it } from '@jest/globals';
import { endpointNode, type SeenEndpoints } from '../../../activities/observe/api-endpoint.js';

function node(name: string, ip: string, ...hosts: (string | null)[]): SeenEndpoints {
  const addresses = [{ type: 'InternalIP', address: ip }];
  return { node: { metadata: { name }, status: { addresses } }, hosts };
}
const BALANCER = 'api.lab.invalid';

it.each<[string, readonly SeenEndpoints[], string | null | undefined]>([
  ['a balancer', [node('cp-1', '10.0.0.1', BALANCER), node('cp-2', '10.0.0.2', BALANCER)], null],
  ['its own each', [node('cp-1', '10.0.0.1', '10.0.0.1'), node('cp-2', '10.0.0.2', 'cp-2')], null],
  [
    'loopback, which is no other node’s',
    [node('cp-1', '10.0.0.1', '127.0.0.1'), node('cp-2', '10.0.0.2', 'localhost')],
    null,
  ],
  [
    'one node for all',
    [node('cp-1', '10.0.0.1', '10.0.0.1'), node('cp-2', '10.0.0.2', '10.0.0.1')],
    'cp-1',
  ],
  [
    'one node for a kubelet, by its name',
    [node('cp-1', '10.0.0.1', BALANCER, 'cp-2.lab.invalid'), node('cp-2', '10.0.0.2', BALANCER)],
    'cp-2',
  ],
  [
    'one node, though a file is unread',
    [node('cp-1', '10.0.0.1', null), node('cp-2', '10.0.0.2', '10.0.0.1')],
    'cp-1',
  ],
  [
    'unknown: a file is unread',
    [node('cp-1', '10.0.0.1', BALANCER), node('cp-2', '10.0.0.2', BALANCER, null)],
    undefined,
  ],
  ['unknown: no node at all', [], undefined],
])('the API is reached through %s', (_case, seen, expected) => {
  expect(endpointNode(seen)).toBe(expected);
});
