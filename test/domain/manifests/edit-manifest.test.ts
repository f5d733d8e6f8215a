import { describe, expect, it } from '@jest/globals';
import type { ManifestEdits } from '../../../domain/manifests/edit-manifest.js';
import { editManagerManifest } from '../../../domain/manifests/edit-manifest.js';
import { readManagerManifest } from '../../../domain/manifests/manifest.js';
import { CCM_DAEMON_SET, difference, edited, KCM } from '../yaml/given.js';

describe('editManagerManifest', () => {
  it.each([
    ['an empty edit', {}],
    [
      'a setting that is there already',
      {
        image: 'registry.example/kube-controller-manager:v1.29.15',
        setArguments: { 'leader-elect': 'true' },
        removeArguments: ['gone'],
        removeVolumes: ['gone'],
        env: { GONE: null },
        labels: { tier: 'control-plane', gone: null },
      },
    ],
  ])('changes no character with %s', (_, edits) => {
    expect(edited(KCM, edits)).toBe(KCM);
    expect(edited(CCM_DAEMON_SET, {})).toBe(CCM_DAEMON_SET);
  });

  it('changes what was requested, and keeps comments, order and quotes', () => {
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

  it('mounts a file, and unmounts it without a trace', () => {
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
    expect(edited(mounted, { removeVolumes: ['lm'] })).toBe(KCM);
  });

  it('replaces a mount of the same name', () => {
    const mount = (path: string): ManifestEdits => ({
      mountFiles: [{ volume: 'lm', mountPath: path, source: { hostPath: path } }],
    });
    expect(edited(edited(KCM, mount('/a')), mount('/b'))).toBe(edited(KCM, mount('/b')));
  });

  it('leaves an empty document after the manifest where it is', () => {
    const end = '--- # the end\n';
    expect(edited(`${KCM}${end}`, {})).toBe(`${KCM}${end}`);
    const edits = { setArguments: { 'cloud-provider': 'external' } };
    expect(edited(`${KCM}${end}`, edits)).toBe(`${edited(KCM, edits)}${end}`);
  });

  it('edits a workload in its own layout', () => {
    const after = edited(CCM_DAEMON_SET, {
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
      'replaces two arguments by one',
      'command: [kcm, --a, "1", --b]',
      { setArguments: { a: '4' } },
      'command: [kcm, --a=4, --b]',
    ],
    [
      'keeps a flag in two arguments',
      'args: [--a, "1"]',
      { setArguments: { a: '1' } },
      'args: [--a, "1"]',
    ],
    [
      'removes a flag in two arguments',
      'args: [--a, "1", --b=2]',
      { removeArguments: ['a'] },
      'args: [--b=2]',
    ],
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
  ])('an edit %s', (_, before, edits, after) => {
    const result = edited(pod(before), edits);
    expect(result.replace(/,? *\n? *\}\]\n$/, '}]\n').replace('i,}', 'i}')).toBe(
      after === '' ? 'kind: Pod\nspec:\n  containers: [{image: i}]\n' : pod(after),
    );
    expect(edited(result, edits)).toBe(result);
  });

  it('adds to labels that have no value', () => {
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
