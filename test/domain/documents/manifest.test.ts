import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { ManifestEdits } from '../../../domain/documents/edit-manifest.js';
import { editManagerManifest } from '../../../domain/documents/edit-manifest.js';
import { problemLine } from '../../../domain/documents/fields.js';
import { readManagerManifest } from '../../../domain/documents/read-manifest.js';

const fixture = (name: string): string =>
  readFileSync(new URL(`./fixtures/${name}.yaml`, import.meta.url), 'utf8');
const KCM = fixture('kcm');
const DAEMON_SET = fixture('ccm-daemon-set');

function edited(text: string, edits: ManifestEdits): string {
  const result = editManagerManifest(text, edits);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.text;
}

/** Lines that went (-) and came (+), in order. */
function difference(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line.trim()}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line.trim()}`),
  ];
}

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
    });
    expect(manifest.volumes.at(-1)).toEqual({
      kind: 'hostPath',
      name: 'cloud-config',
      path: '/etc/kubernetes/cloud.conf',
    });
  });

  it('reads the pod template of a workload, its manager among other containers', () => {
    expect(readManagerManifest(DAEMON_SET)).toMatchObject({
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
    [pod('[{image: i, image: j}]'), '3:16: spec.containers[0].image: is given twice'],
    [
      pod('[{image: 5}]'),
      '3:24: spec.containers[0].image: must be text: put it in quotes',
      '3:24: spec.containers[0].image: must not be empty',
    ],
    [
      pod('[{image: i, command: [/bin/sh, -c, "exec kube-controller-manager"]}]'),
      '3:36: spec.containers[0].command: runs the manager in a shell, so its flags cannot be read: list each flag as a word of its own',
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

  it('knows the other kinds of volumes, and leaves unknown variables as they are', () => {
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

describe('editManagerManifest', () => {
  it.each([
    ['nothing', {}],
    [
      'what is there already',
      {
        image: 'registry.example/kube-controller-manager:v1.29.15',
        setArguments: { 'leader-elect': 'true' },
        removeArguments: ['gone'],
        removeVolumes: ['gone'],
        env: { GONE: null },
        labels: { tier: 'control-plane', gone: null },
      },
    ],
  ])('changes no letter for %s', (_, edits) => {
    expect(edited(KCM, edits)).toBe(KCM);
    expect(edited(DAEMON_SET, {})).toBe(DAEMON_SET);
  });

  it('changes what it is told, keeps remarks, order and quotes', () => {
    const after = edited(KCM, {
      image: 'registry.example/kube-controller-manager:v1.30.14',
      setArguments: {
        'cloud-provider': 'external',
        controllers: '*',
        'enable-leader-migration': 'true',
      },
      removeArguments: ['cloud-config'],
      removeVolumes: ['cloud-config'],
    });
    expect(difference(KCM, after)).toEqual([
      '- - --cloud-config=/etc/kubernetes/cloud.conf',
      '- - --cloud-provider=acme # our own build',
      "- - '--controllers=*,bootstrapsigner,tokencleaner'",
      '- image: registry.example/kube-controller-manager:v1.29.15',
      '- - mountPath: /etc/kubernetes/cloud.conf',
      '- name: cloud-config',
      '- path: /etc/kubernetes/cloud.conf',
      '- type: File',
      '- name: cloud-config',
      '+ - --cloud-provider=external # our own build',
      "+ - '--controllers=*'",
      '+ - --enable-leader-migration=true',
      '+ image: registry.example/kube-controller-manager:v1.30.14',
    ]);
  });

  it('mounts a file, and takes it away again without a trace', () => {
    const mounted = edited(KCM, {
      mountFiles: [
        { volume: 'lm', mountPath: '/etc/lm.yaml', source: { hostPath: '/etc/k/lm.yaml' } },
      ],
    });
    expect(difference(KCM, mounted)).toEqual([
      '+ - name: lm',
      '+ mountPath: /etc/lm.yaml',
      '+ - name: lm',
      '+ hostPath:',
      '+ path: /etc/k/lm.yaml',
    ]);
    // A blank line below a list belongs to its last item and goes with it.
    const filled = KCM.replaceAll(/\n+/g, '\n');
    expect(edited(mounted, { removeVolumes: ['lm'] })).toBe(filled);
  });

  it('replaces a mount of the same name', () => {
    const mount = (path: string): ManifestEdits => ({
      mountFiles: [{ volume: 'lm', mountPath: path, source: { hostPath: path } }],
    });
    expect(edited(edited(KCM, mount('/a')), mount('/b'))).toBe(edited(KCM, mount('/b')));
  });

  it('edits a workload in its own layout', () => {
    const after = edited(DAEMON_SET, {
      image: 'registry.example/ccm:v1.30.3',
      setArguments: { v: '4', 'cluster-name': 'kubernetes', 'leader-elect': 'true' },
      mountFiles: [{ volume: 'lm', mountPath: '/etc/lm', source: { configMap: 'lm-1' } }],
      env: { CLUSTER: null, REGION: 'x' },
      labels: { a: 'b' },
      fields: [
        { path: ['spec', 'updateStrategy', 'type'], value: 'OnDelete' },
        { path: ['metadata', 'namespace'], value: null },
      ],
    });
    expect(after).toMatchSnapshot();
    expect(readManagerManifest(after)).toMatchObject({
      kind: 'read',
      manifest: { updateStrategy: 'OnDelete' },
    });
  });

  const pod = (container: string): string =>
    `kind: Pod\nspec:\n  containers: [{image: i, ${container}}]\n`;

  it.each([
    [
      'joins repeated flags',
      'args: [--a=1, --b=2, --a=3]',
      { setArguments: { a: '4' } },
      'args: [--a=4, --b=2]',
    ],
    [
      'replaces two words by one',
      'command: [kcm, --a, "1", --b]',
      { setArguments: { a: '4' } },
      'command: [kcm, --a=4, --b]',
    ],
    [
      'keeps two words that say it',
      'args: [--a, "1"]',
      { setArguments: { a: '1' } },
      'args: [--a, "1"]',
    ],
    ['removes two words', 'args: [--a, "1", --b=2]', { removeArguments: ['a'] }, 'args: [--b=2]'],
    ['removes the last flag with its list', 'args: [--a]', { removeArguments: ['a'] }, ''],
    [
      'keeps an emptied place to write to',
      'args: [--a, "1"]',
      { setArguments: { a: '2' } },
      'args: [--a=2]',
    ],
    [
      'adds where flags are: command',
      'command: [kcm, --a]',
      { setArguments: { b: '1' } },
      'command: [kcm, --a, --b=1]',
    ],
    [
      'adds where flags are: args',
      'command: [kcm], args: [--a]',
      { setArguments: { b: '1' } },
      'command: [kcm], args: [--a, --b=1]',
    ],
    [
      'adds args where nothing is',
      'name: kcm',
      { setArguments: { b: '1' } },
      'name: kcm, args: [--b=1]',
    ],
    [
      'reads underscores',
      'args: [--cloud_provider=x]',
      { setArguments: { 'cloud-provider': 'y' } },
      'args: [--cloud-provider=y]',
    ],
    ['fills an empty list', 'env: null', { env: { A: '1' } }, 'env: [{name: A, value: "1"}]'],
    [
      'changes a variable',
      'env: [{name: A, value: "1"}]',
      { env: { A: 'b' } },
      'env: [{name: A, value: b}]',
    ],
    ['removes the last variable', 'env: [{name: A, value: "1"}]', { env: { A: null } }, ''],
  ])('%s', (_, before, edits, after) => {
    const result = edited(pod(before), edits);
    expect(result.replace(/,? *\n? *\}\]\n$/, '}]\n').replace('i,}', 'i}')).toBe(
      after === '' ? 'kind: Pod\nspec:\n  containers: [{image: i}]\n' : pod(after),
    );
    expect(edited(result, edits)).toBe(result);
  });

  it('makes a map of labels that has no value', () => {
    const text = 'kind: Pod\nmetadata:\n  labels:\nspec:\n  containers: [{image: i}]\n';
    expect(edited(text, { labels: { a: 'b' } })).toBe(
      text.replace('labels:\n', 'labels:\n    a: b\n'),
    );
  });

  it('edits JSON too', () => {
    const json = '{"kind": "Pod", "spec": {"containers": [{"image": "i"}]}}';
    expect(JSON.parse(edited(json, { image: 'j' }))).toEqual({
      kind: 'Pod',
      spec: { containers: [{ image: 'j' }] },
    });
  });

  it('refuses what it cannot read, before and after', () => {
    expect(editManagerManifest('kind: Node\n', {}).kind).toBe('invalid');
    expect(editManagerManifest(pod('name: a'), { image: '' }).kind).toBe('invalid');
  });
});
