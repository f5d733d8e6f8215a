import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import { isEtcdExternal } from '../../../activities/observe/read-cached.js';
import { clusterConfiguration } from '../../../testbed/lab/cluster/kubeadm-config.js';
import { etcdCertificates, etcdManifest } from '../../../testbed/lab/etcd/etcd-files.js';
import { EtcdNames } from '../../../testbed/lab/etcd/etcd-names.js';
import { libraryPaths } from '../../../testbed/lab/images/etcd-image.js';
import { createAuthority } from '../../../testbed/base/auth/certificates.js';

const CP_1 = { name: 'cp-1', address: '198.18.17.11' };
const CP_2 = { name: 'cp-2', address: '198.18.17.12' };
const image = 'registry.k8s.io/etcd:3.4.23-0';

describe('etcd on a node has the files that kubeadm gives it', () => {
  it('etcd on a node founds a new cluster, or joins an existing one', () => {
    const command = (others: readonly (typeof CP_1)[]): readonly string[] =>
      parse(etcdManifest({ ...CP_2, image, others })).spec.containers[0].command;
    expect(command([])).toContain('--initial-cluster=cp-2=https://198.18.17.12:2380');
    expect(command([]).join()).not.toContain('initial-cluster-state');
    expect(command([CP_1])).toEqual(
      expect.arrayContaining([
        'etcd',
        '--initial-cluster=cp-1=https://198.18.17.11:2380,cp-2=https://198.18.17.12:2380',
        '--initial-cluster-state=existing',
        '--data-dir=/var/lib/etcd',
        '--name=cp-2',
        '--unsafe-no-fsync=true',
      ]),
    );
  });

  it('etcd on a node is a static pod with the label by which etcd is found, whose data is writable', () => {
    const { metadata, spec } = parse(etcdManifest({ ...CP_1, image, others: [] }));
    expect(metadata).toMatchObject({ name: 'etcd', labels: { component: 'etcd' } });
    const [container] = spec.containers;
    expect(container.startupProbe.httpGet).toEqual({
      ...{ host: '127.0.0.1', path: '/health?serializable=false', port: 2381, scheme: 'HTTP' },
    });
    const names = (list: { name: string }[]): string[] => list.map(({ name }) => name).sort();
    expect(names(container.volumeMounts)).toEqual(names(spec.volumes));
    expect(container.volumeMounts[0]).toEqual({ mountPath: '/var/lib/etcd', name: 'etcd-data' });
  });

  it('etcd on a node has a certificate for server and client at once, for its address and its names', () => {
    const files = etcdCertificates(createAuthority('etcd-ca'), CP_1, ['etcd-1.lab-1.lab']);
    const server = new X509Certificate(files['/etc/kubernetes/pki/etcd/server.crt'] ?? '');
    const [ca = ''] = [files['/etc/kubernetes/pki/etcd/ca.crt']];
    expect(server.verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect(server.checkIP('198.18.17.11')).toBe('198.18.17.11');
    expect(server.checkHost('etcd-1.lab-1.lab')).toBe('etcd-1.lab-1.lab');
    // serverAuth and clientAuth.
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  });

  it('etcd on a node is named in kubeadm-config, so that it is not taken for external', () => {
    const read = (names: readonly string[] | null): string =>
      isEtcdExternal({
        configMap: 'present',
        clusterConfiguration: clusterConfiguration('1.29.15', 'https://198.18.17.2:6443', names),
      });
    expect([read(['etcd-1.lab-1.lab']), read(null)]).toEqual(['no', 'yes']);
  });

  it("the image has the libraries that ldd names, and not the kernel's", () => {
    const printed = [
      '\tlinux-vdso.so.1 (0x00007ffe)',
      '\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f0a)',
      '\t/lib64/ld-linux-x86-64.so.2 (0x00007f0b)',
    ];
    expect(libraryPaths(printed.join('\n'))).toEqual([
      '/lib/x86_64-linux-gnu/libc.so.6',
      '/lib64/ld-linux-x86-64.so.2',
    ]);
    expect(libraryPaths('\tnot a dynamic executable\n')).toEqual([]);
  });
});

describe('the names by which an API server calls members stay while members change', () => {
  let folder: string;
  let names: EtcdNames;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-names-'));
    names = new EtcdNames({ cluster: 'lab-1', count: 2, hostsFile: join(folder, 'hosts') });
    names.write();
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const lines = (): readonly string[] =>
    readFileSync(names.hostsFile, 'utf8').trim().split('\n').slice(1);

  it('the names by which an API server calls members are stable; behind a free name nothing listens', () => {
    const { ino } = statSync(names.hostsFile);
    expect(lines()).toEqual(['127.0.0.1 etcd-1.lab-1.lab', '127.0.0.1 etcd-2.lab-1.lab']);
    names.give(CP_1);
    names.give(CP_1);
    names.give(CP_2);
    expect(lines()).toEqual(['198.18.17.11 etcd-1.lab-1.lab', '198.18.17.12 etcd-2.lab-1.lab']);
    names.take(CP_1.address);
    expect(lines()[0]).toBe('127.0.0.1 etcd-1.lab-1.lab');
    // The API server has this very file mounted.
    expect(statSync(names.hostsFile).ino).toBe(ino);
  });

  it('the names by which an API server calls members are limited', () => {
    names.give(CP_1);
    names.give(CP_2);
    expect(() => names.give({ name: 'cp-3', address: '198.18.17.13' })).toThrow(
      'are in use; remove a machine first',
    );
  });
});
