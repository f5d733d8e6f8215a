import { describe, expect, it } from '@jest/globals';
import { placeOnHost } from '../../../testbed/lab/nodes/node-disk.js';

describe('files of a node have a place on the host', () => {
  it.each([
    ['/etc/kubernetes/manifests/a.yaml', '/n/disk/etc/kubernetes/manifests/a.yaml'],
    ['/etc/leadermigration.conf', '/n/layers/etc/leadermigration.conf'],
    ['/var/lib/kubelet/config.yaml', '/n/disk/var/lib/kubelet/config.yaml'],
    ['/var/lib/ccm-migrate/epoch', '/n/layers/var/lib/ccm-migrate/epoch'],
  ])('a file of a node is found on the host: %s', (path, place) => {
    expect(placeOnHost('/n', path)).toBe(place);
  });

  it.each([
    '/usr/bin/sh',
    '/etc',
    '/etc/../root/a',
    '/etc/kubernetes/../../../b',
    'etc/a',
    '/etc/a/',
  ])("a path outside the node's disk is refused: %s", (path) => {
    expect(() => placeOnHost('/n', path)).toThrow('a node of the lab keeps files below');
  });
});
