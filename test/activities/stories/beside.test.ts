import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { inspectCluster } from '../../../activities/inspection.js';
import type { BesideReadings } from '../../../activities/observe/read-beside.js';
import type { ClusterPorts, NodeFile } from '../../../activities/ports.js';
import type { FailureType } from '../../../domain/failures.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const MANIFEST = '/etc/kubernetes/manifests/kube-apiserver.yaml';
const KUBELET = '/etc/kubernetes/kubelet.conf';
const ROLE = {
  ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', namespace: 'kube-system' },
  name: 'system::leader-locking-kube-controller-manager',
};
/** The official guide's, as a merge patch. */
const PATCH = {
  rules: [
    {
      ...{ apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
      resourceNames: ['cloud-provider-extraction-migration'],
      verbs: ['create', 'list', 'get', 'update'],
    },
  ],
};

describe('an inspection for preflight', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({ spec: { nodes: 2, sharedApiAddress: true } });
  });
  afterEach(() => environment.close());

  const beside = async (ports: ClusterPorts = environment.ports): Promise<BesideReadings> =>
    (await inspectCluster(ports, { ...environment.context, clock: environment.clock })).beside;

  /** The same cluster with another text in one file of cp-2, or none, or no answer about it. */
  const withFile = (path: string, change: (text: string) => string | null): ClusterPorts => ({
    ...environment.ports,
    files: {
      ...environment.ports.files,
      read: async (node, asked, options): Promise<NodeFile | null> => {
        const file = await environment.ports.files.read(node, asked, options);
        if (node !== 'cp-2' || asked !== path || file === null) return file;
        const content = change(file.content);
        return content === null ? null : { ...file, content };
      },
    },
  });
  const refusing = (type: FailureType) => (): never => {
    throw failure(type, 'not now');
  };

  it('reads everything on a fresh cluster, and finds nothing wrong', async () => {
    const read = await beside();
    expect(read).toMatchObject({ apiEndpointNode: null, patchedRoles: [] });
    expect(read.apiServerArguments).toEqual({
      'cp-1': expect.arrayContaining(['--secure-port=6443']),
      'cp-2': expect.arrayContaining(['--secure-port=6443']),
    });
  });

  it('reports the Role of Kubernetes that the guide patched', async () => {
    await environment.ports.api.mergePatch(ROLE, PATCH);
    expect((await beside()).patchedRoles).toEqual([ROLE.name]);
    await environment.ports.api.remove(ROLE);
    expect((await beside()).patchedRoles).toEqual([]);
  });

  it('leaves out a Role that may not be read, and nothing else', async () => {
    const { api } = environment.ports;
    const get: typeof api.get = async (ref, options) =>
      ref.name === ROLE.name ? refusing('Forbidden')() : api.get(ref, options);
    const read = await beside({ ...environment.ports, api: { ...api, get } });
    expect(read).not.toHaveProperty('patchedRoles');
    expect(read).toHaveProperty('apiEndpointNode', null);
  });

  it('reads the flags of an API server from its manifest', async () => {
    const flag = '        - --cloud-provider=aws\n';
    const ports = withFile(MANIFEST, (text) =>
      text.replace(/( +- kube-apiserver\n)/, (line) => line + flag),
    );
    const { apiServerArguments } = await beside(ports);
    expect(apiServerArguments?.['cp-2']).toContain('--cloud-provider=aws');
    expect(apiServerArguments?.['cp-1']).not.toContain('--cloud-provider=aws');
  });

  it.each<[string, (text: string) => string | null]>([
    ['is no static pod', () => null],
    ['cannot be read', () => 'kind: ['],
    ['runs in a shell', (text) => text.replace('- kube-apiserver\n', '- /bin/sh\n        - -c\n')],
    ['runs on a node that does not answer', refusing('Unreachable')],
    ['answers too late', refusing('Timeout')],
  ])('reports no flags of an API server that %s', async (_case, change) => {
    const { apiServerArguments } = await beside(withFile(MANIFEST, change));
    expect(Object.keys(apiServerArguments ?? {})).toEqual(['cp-1']);
  });

  it('names the node that another one reaches the API through', async () => {
    const ports = withFile(KUBELET, (text) => text.replace('api.lab.invalid', 'cp-1.lab.invalid'));
    expect((await beside(ports)).apiEndpointNode).toBe('cp-1');
  });

  it('keeps nothing else of a kubeconfig', async () => {
    const ports = withFile(KUBELET, (text) => `${text}\n# client-key-data: c2VjcmV0\n`);
    expect(JSON.stringify(await beside(ports))).not.toContain('c2VjcmV0');
  });

  it.each<[string, (text: string) => string | null]>([
    ['is elsewhere', () => null],
    ['names no server', () => 'kind: Config'],
    ['is on a node that does not answer', refusing('Unreachable')],
  ])('leaves the endpoint unknown where a kubeconfig %s', async (_case, change) => {
    expect(await beside(withFile(KUBELET, change))).not.toHaveProperty('apiEndpointNode');
  });

  it('fails where node access refuses', async () => {
    await expect(beside(withFile(MANIFEST, refusing('ForeignNode')))).rejects.toThrow('not now');
  });
});

describe('nodes that reach their own API server', () => {
  it('need no address in common', async () => {
    const environment = await openEnvironment({ spec: { nodes: 2, sharedApiAddress: false } });
    try {
      const { beside } = await inspectCluster(environment.ports, {
        ...environment.context,
        clock: environment.clock,
      });
      expect(beside.apiEndpointNode).toBeNull();
    } finally {
      await environment.close();
    }
  });
});
