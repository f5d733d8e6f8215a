import { describe, expect, it } from '@jest/globals';
import type { ClusterConfigurationResult } from '../../../domain/manifests/cluster-configuration.js';
import {
  clusterConfigurationFollows,
  editClusterConfiguration,
  followManifest,
} from '../../../domain/manifests/cluster-configuration.js';
import type { ManagerManifest } from '../../../domain/manifests/manifest.js';
import { readManagerManifest } from '../../../domain/manifests/manifest.js';
import { difference, edited, KCM } from '../yaml/given.js';

const MAPPED = `apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
controllerManager:
  # the cloud
  extraArgs:
    cloud-provider: acme
    cloud-config: /etc/kubernetes/cloud.conf
    node-cidr-mask-size: "24"
  extraVolumes:
  - name: cloud-config
    hostPath: /etc/kubernetes/cloud.conf
    mountPath: /etc/kubernetes/cloud.conf
kubernetesVersion: v1.29.15
`;
const LISTED = `apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
controllerManager:
  extraArgs:
  - name: cloud-provider
    value: acme
  - name: cloud-config
    value: /etc/kubernetes/cloud.conf
`;
const EMPTY = 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n';

function manifest(text: string): ManagerManifest {
  const result = readManagerManifest(text);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.manifest;
}

function textOf(result: ClusterConfigurationResult): string {
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.text;
}

const EXTERNAL = manifest(
  edited(KCM, {
    setArguments: { 'cloud-provider': 'external', controllers: '*,-nodeipam' },
    removeArguments: ['cloud-config'],
    removeVolumes: ['cloud-config'],
  }),
);
const PROTECTED = manifest(
  edited(KCM, {
    setArguments: { 'enable-leader-migration': 'true', 'leader-migration-config': '/k/lm.yaml' },
    mountFiles: [{ volume: 'lm', mountPath: '/k/lm.yaml', source: { hostPath: '/k/lm.yaml' } }],
  }),
);

describe('followManifest', () => {
  it('removes cloud and volume for an external KCM', () => {
    const after = textOf(followManifest(MAPPED, EXTERNAL));
    expect(after).toBe(`apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
controllerManager:
  # the cloud
  extraArgs:
    cloud-provider: external
    node-cidr-mask-size: "24"
    controllers: "*,-nodeipam"
kubernetesVersion: v1.29.15
`);
    expect(clusterConfigurationFollows(after, EXTERNAL)).toBe('yes');
    expect(clusterConfigurationFollows(MAPPED, EXTERNAL)).toBe('no');
  });

  it('adds Leader Migration with its file', () => {
    const after = textOf(followManifest(MAPPED, PROTECTED));
    expect(difference(MAPPED, after)).toEqual([
      '+ enable-leader-migration: "true"',
      '+ leader-migration-config: /k/lm.yaml',
      '+ - name: lm',
      '+ hostPath: /k/lm.yaml',
      '+ mountPath: /k/lm.yaml',
      '+ readOnly: true',
      '+ pathType: File',
    ]);
    expect(textOf(followManifest(after, manifest(KCM)))).toBe(MAPPED);
  });

  it('writes lists from v1beta4 on', () => {
    const after = textOf(followManifest(LISTED, PROTECTED));
    expect(after).toContain('  - name: enable-leader-migration\n    value: "true"\n');
    expect(textOf(followManifest(LISTED, EXTERNAL))).toBe(`apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
controllerManager:
  extraArgs:
  - name: cloud-provider
    value: external
  - name: controllers
    value: "*,-nodeipam"
`);
  });

  it('creates what is missing, and leaves nothing empty behind', () => {
    const bare = manifest('kind: Pod\nspec: {containers: [{image: i}]}\n');
    const switched = manifest(
      'kind: Pod\nspec: {containers: [{image: i, args: [--enable-leader-migration]}]}\n',
    );
    const on = textOf(followManifest(EMPTY, switched));
    expect(on).toBe(
      `${EMPTY}controllerManager:\n  extraArgs:\n    enable-leader-migration: "true"\n`,
    );
    expect(textOf(followManifest(on, bare))).toBe(EMPTY);
  });

  it('mounts no file that is not from the node', () => {
    const workload = manifest(
      'kind: Pod\nspec: {containers: [{image: i, args: [--cloud-config=/c], volumeMounts: [{name: c, mountPath: /c}]}], volumes: [{name: c, secret: {}}, {name: d, hostPath: {path: /d}}]}\n',
    );
    expect(textOf(followManifest(EMPTY, workload))).not.toContain('extraVolumes');
  });

  it.each([
    ['a: [', '1:5 '],
    ['kind: InitConfiguration\n', '1:7 kind'],
    [
      'kind: ClusterConfiguration\ncontrollerManager: {extraArgs: {a: 1}}\n',
      '2:36 controllerManager.extraArgs.a',
    ],
  ])('refuses %j', (text, place) => {
    const result = followManifest(text, EXTERNAL);
    const problems = result.kind === 'invalid' ? result.problems : [];
    expect(problems.map(({ line, column, path }) => `${line}:${column} ${path}`)).toEqual([place]);
    expect(clusterConfigurationFollows(text, EXTERNAL)).toBe('unknown');
    const edits = { extraArgs: {}, addVolumes: [], removeVolumes: [] };
    expect(editClusterConfiguration(text, edits).kind).toBe('invalid');
  });
});

describe('editClusterConfiguration', () => {
  it('replaces a volume of the same name', () => {
    const edit = (path: string): string =>
      textOf(
        editClusterConfiguration(EMPTY, {
          extraArgs: {},
          addVolumes: [{ name: 'a', hostPath: path, mountPath: path }],
          removeVolumes: [],
        }),
      );
    expect(edit('/b')).toContain('hostPath: /b');
  });
});
