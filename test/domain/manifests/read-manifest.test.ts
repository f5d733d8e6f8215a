import { describe, expect, it } from '@jest/globals';
import { problemLine } from '../../../domain/yaml/tree.js';
import { readManagerManifest } from '../../../domain/manifests/manifest.js';
import { CCM_DAEMON_SET, KCM } from '../yaml/given.js';

describe('readManagerManifest', () => {
  it('reads a static pod', () => {
    const result = readManagerManifest(KCM);
    expect(result).toMatchObject({
      kind: 'read',
      manifest: {
        kind: 'Pod',
        name: 'kube-controller-manager',
        namespace: 'kube-system',
        labels: { component: 'kube-controller-manager', tier: 'control-plane' },
        container: 'kube-controller-manager',
        containerIndex: 0,
        image: 'registry.example/kube-controller-manager:v1.29.15',
        hostNetwork: true,
        tolerations: [],
        updateStrategy: '',
        serviceAccountName: '',
      },
    });
    const { manifest } = result as Extract<typeof result, { kind: 'read' }>;
    expect(manifest.arguments).toContain('--controllers=*,bootstrapsigner,tokencleaner');
    expect(manifest.arguments).not.toContain('kube-controller-manager');
    expect(manifest.mounts.at(-1)).toEqual({
      volume: 'cloud-config',
      path: '/etc/kubernetes/cloud.conf',
      readOnly: true,
      subPath: '',
    });
    expect(manifest.volumes.at(-1)).toEqual({
      kind: 'hostPath',
      name: 'cloud-config',
      path: '/etc/kubernetes/cloud.conf',
    });
  });

  it('reads the pod template of a workload, its manager among other containers', () => {
    expect(readManagerManifest(CCM_DAEMON_SET)).toMatchObject({
      manifest: {
        kind: 'DaemonSet',
        labels: { app: 'ccm' },
        container: 'acme-cloud-controller-manager',
        containerIndex: 1,
        arguments: ['--cloud-provider=acme', '--cluster-name=prod-7', '--v', '2', '--leader-elect'],
        env: { CLUSTER: 'prod-7' },
        tolerations: [
          {
            key: 'node.cloudprovider.kubernetes.io/uninitialized',
            operator: '',
            value: 'true',
            effect: 'NoSchedule',
          },
          {
            key: 'node-role.kubernetes.io/control-plane',
            operator: 'Exists',
            value: '',
            effect: 'NoSchedule',
          },
        ],
      },
    });
  });

  const pod = (containers: string): string => `kind: Pod\nspec:\n  containers: ${containers}\n`;

  it.each([
    [
      'a: [',
      '1:5: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['kind: Service\n', '1:7: kind: must be Pod, DaemonSet or Deployment'],
    ['- a\n', '1:1: must be a map of fields', '1:1: kind: must be Pod, DaemonSet or Deployment'],
    [
      'kind: Pod\n',
      '1:1: spec.containers: must hold exactly one container that runs a controller manager',
    ],
    [
      pod('7'),
      '3:15: spec.containers: must be a list',
      '3:15: spec.containers: must hold exactly one container that runs a controller manager',
    ],
    [
      pod('[{name: a}, {name: b}]'),
      '3:15: spec.containers: must hold exactly one container that runs a controller manager',
    ],
    [
      pod('[{name: kube-controller-manager}, {command: [cloud-controller-manager]}]'),
      '3:15: spec.containers: must hold exactly one container that runs a controller manager',
    ],
    [pod('[{name: kcm}]'), '3:16: spec.containers[0].image: must not be empty'],
    [pod('[{image: i, image: j}]'), '3:27: spec.containers[0].image: is given twice'],
    [
      pod('[{image: 5}]'),
      '3:24: spec.containers[0].image: must be text: put it in quotes',
      '3:24: spec.containers[0].image: must not be empty',
    ],
    [
      pod('[{image: i, command: [/bin/sh, -c, "exec kube-controller-manager"]}]'),
      '3:36: spec.containers[0].command: runs the manager in a shell, so its flags cannot be read: list each flag as a separate argument',
    ],
    [
      pod('[{image: i, args: [--a=b, --, c]}]'),
      '3:16: spec.containers[0].command: must not hold --: what follows is ignored',
    ],
    [
      `${pod('[{image: i}]')}  hostNetwork: "yes"\n`,
      '4:16: spec.hostNetwork: must be true or false',
    ],
  ])('refuses %j', (text, ...problems) => {
    const result = readManagerManifest(text);
    expect(result.kind === 'invalid' ? result.problems.map(problemLine) : []).toEqual(problems);
  });

  it('refuses a repeated key anywhere', () => {
    const text = pod('[{image: i, livenessProbe: {a: 1, a: 2}}]');
    expect(readManagerManifest(text)).toMatchObject({
      problems: [{ path: 'spec.containers[0].livenessProbe.a', message: 'is given twice' }],
    });
  });

  it('accepts the other kinds of volumes, and leaves unknown variables unchanged', () => {
    const text = `${pod('[{image: i, args: ["--a=$(X)", "--b=$$(Y)"]}]')}  volumes: [{name: a, configMap: {name: c}}, {name: b, emptyDir: {}}]\n  hostNetwork: null\n`;
    expect(readManagerManifest(text)).toMatchObject({
      manifest: {
        namespace: 'default',
        arguments: ['--a=$(X)', '--b=$(Y)'],
        hostNetwork: false,
        volumes: [
          { kind: 'configMap', name: 'a', configMap: 'c' },
          { kind: 'other', name: 'b' },
        ],
      },
    });
  });
});
