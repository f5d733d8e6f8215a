import { describe, expect, it } from '@jest/globals';
import { createPki } from '../../lab/cluster/pki.js';
import { placeOnHost } from '../../lab/nodes/node-disk.js';
import { nodeFiles } from '../../lab/nodes/node-files.js';

describe('where files of a node are on the host', () => {
  it.each([
    ['/etc/kubernetes/manifests/a.yaml', '/n/disk/etc/kubernetes/manifests/a.yaml'],
    ['/etc/leadermigration.conf', '/n/layers/etc/leadermigration.conf'],
    ['/var/lib/kubelet/config.yaml', '/n/disk/var/lib/kubelet/config.yaml'],
    ['/var/lib/ccm-migrate/epoch', '/n/layers/var/lib/ccm-migrate/epoch'],
  ])('%s', (path, place) => {
    expect(placeOnHost('/n', path)).toBe(place);
  });

  it.each([
    '/usr/bin/sh',
    '/etc',
    '/etc/../root/a',
    '/etc/kubernetes/../../../b',
    'etc/a',
    '/etc/a/',
  ])('refuses %s', (path) => {
    expect(() => placeOnHost('/n', path)).toThrow('a node of the lab keeps files below');
  });
});

describe('what a node has of the machine it runs on', () => {
  it('is no start-up file of a shell: each command over SSH would run it', () => {
    const pki = createPki('lab-1', '198.18.17.2', 'https://198.18.17.2:6443');
    const account = { url: 'http://198.18.16.1:9900', token: 'x', cluster: 'lab-1' };
    const node = { name: 'cp-1', hostname: 'cp-1', role: 'worker', version: '1.29.15' } as const;
    const files = nodeFiles(
      { ...node, kubeletCloud: 'none', files: {} },
      { address: '198.18.17.11', pki, account },
    );
    expect(files).toMatchObject({ '/root/.bashrc': '', '/root/.profile': '' });
  });
});
