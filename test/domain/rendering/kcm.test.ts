import { describe, expect, it } from '@jest/globals';
import { MINORS } from '../../../domain/controllers/minors.js';
import {
  editManagerManifest,
  type ManifestEdits,
} from '../../../domain/documents/edit-manifest.js';
import type { RenderRequest } from '../../../domain/rendering/render-manager.js';
import { renderManager } from '../../../domain/rendering/render-manager.js';
import type { Rendering } from '../../../domain/rendering/rendered.js';
import { protectionOf } from '../../../domain/facts/protection.js';
import { CCM_POD, configOf, difference, KCM, manifestOf, policyWith, textOf } from './given.js';

function render(want: RenderRequest['want'], parts: Partial<RenderRequest> = {}): Rendering {
  return renderManager({
    want,
    current: KCM,
    baseline: KCM,
    policy: policyWith(),
    materials: { ccmManifest: CCM_POD },
    ...parts,
  });
}

function edited(text: string, edits: ManifestEdits): string {
  const result = editManagerManifest(text, edits);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.text;
}

const seenIn = (rendering: Rendering): string =>
  rendering.kind === 'impossible'
    ? `${rendering.finding.code} ${rendering.finding.seen}`
    : 'rendered';

const ON = { manager: 'kcm', role: 'inTree', leaderMigration: 'on' } as const;
const OFF = { manager: 'kcm', role: 'inTree', leaderMigration: 'off' } as const;
const EXTERNAL = { manager: 'kcm', role: 'external' } as const;
const GUIDE = edited(KCM, {
  setArguments: {
    'enable-leader-migration': 'true',
    'leader-migration-config': '/etc/leadermigration.conf',
  },
  mountFiles: [
    {
      volume: 'lm-conf',
      mountPath: '/etc/leadermigration.conf',
      source: { hostPath: '/etc/leadermigration.conf' },
    },
  ],
});

describe('in-tree KCM', () => {
  it('gets Leader Migration and nothing else', () => {
    const rendering = render(ON);
    const [path = ''] = Object.keys(rendering.kind === 'rendered' ? rendering.files : {});
    expect(path).toMatch(/^\/etc\/kubernetes\/ccm-migrate\/leader-migration-[0-9a-f]{12}\.yaml$/);
    expect(difference(KCM, textOf(rendering))).toEqual([
      '- image: registry.example/kube-controller-manager:v1.29.15',
      '+ - --enable-leader-migration=true',
      `+ - --leader-migration-config=${path}`,
      '+ image: registry.example/kcm:v1.29.15',
      '+ - name: ccm-migrate-leader-migration',
      `+ mountPath: ${path}`,
      '+ - name: ccm-migrate-leader-migration',
      '+ hostPath:',
      `+ path: ${path}`,
    ]);
    expect(protectionOf(configOf(rendering, 'kcm', '1.29.15'), policyWith())).toBe('protected');
  });

  it('loses Leader Migration again', () => {
    const rendering = render(OFF, { current: textOf(render(ON)) });
    expect(textOf(rendering)).toBe(textOf(render(OFF, { current: textOf(rendering) })));
    expect(textOf(rendering)).not.toContain('migration');
    expect(rendering).toMatchObject({ files: {}, configMap: null });
  });

  it("replaces the guide's file by ours", () => {
    expect(textOf(render(ON, { current: GUIDE }))).not.toContain('leadermigration.conf');
    expect(textOf(render(OFF, { current: GUIDE }))).not.toContain('leadermigration.conf');
  });

  it('comes from the baseline where the present one is external', () => {
    const external = textOf(render(EXTERNAL));
    expect(textOf(render(ON, { current: external }))).toBe(textOf(render(ON)));
    expect(textOf(render(ON, { current: null }))).toBe(textOf(render(ON)));
  });

  it('comes from whatever there is when nothing is lost by it', () => {
    const external = textOf(render(EXTERNAL));
    const rendering = render(OFF, { current: external, baseline: null });
    expect(configOf(rendering, 'kcm', '1.29.15')).toMatchObject({
      cloudProvider: 'acme',
      cloudLoops: true,
    });
  });

  it('is never left without leader election', () => {
    const current = edited(KCM, { setArguments: { 'leader-elect': 'false' } });
    expect(configOf(render(ON, { current }), 'kcm', '1.29.15').leaderElect).toBe(true);
    expect(configOf(render(OFF, { current }), 'kcm', '1.29.15').leaderElect).toBe(false);
  });

  const legacy = policyWith({
    source: { cloudProvider: 'azure', version: '1.29.3' },
    ccm: { leaderMigration: 'absent' },
  });
  const withCloudConfig = edited(CCM_POD, { setArguments: { 'cloud-config': '/c' } });

  it.each([
    ['1.29 needs the gate', { policy: legacy }, 'DisableCloudProviders=false'],
    ['own build needs none', {}, undefined],
  ])('%s', (_, parts, gates) => {
    expect(configOf(render(OFF, parts), 'kcm', '1.29.3').featureGates).toBe(gates);
  });

  it.each([
    [
      'nothing to start from',
      { current: null, baseline: null },
      'CCM2002 neither a manifest on the node nor a recorded baseline',
    ],
    [
      'a cloud configuration that nobody knows',
      {
        current: textOf(render(EXTERNAL)),
        baseline: null,
        materials: { ccmManifest: withCloudConfig },
      },
      'CCM2002 no manifest tells the --cloud-config of the in-tree KCM',
    ],
    [
      'a CCM manifest that tells nothing',
      { current: textOf(render(EXTERNAL)), baseline: null, materials: { ccmManifest: '' } },
      'CCM2002 no manifest tells the --cloud-config of the in-tree KCM',
    ],
    [
      'a provider that is gone',
      { policy: policyWith({ source: { cloudProvider: 'openstack' } }) },
      'CCM2008 --cloud-provider=openstack at 1.29.15',
    ],
    [
      'a version that is none',
      { policy: policyWith({ source: { version: 'x' } }) },
      'CCM2008 --cloud-provider=acme at x',
    ],
    [
      'an unreadable manifest',
      { current: 'kind: Pod' },
      'CCM2015 1:1: spec.containers: must hold exactly one container that runs a controller manager',
    ],
    [
      'a lock in another namespace',
      { current: edited(KCM, { setArguments: { 'leader-elect-resource-namespace': 'ops' } }) },
      "CCM1002 --leader-elect-resource-namespace is ops, the policy's lock is in kube-system",
    ],
    [
      'an image that is none',
      { policy: policyWith({ source: { kcmImage: '' } }) },
      'CCM2015 28:12: spec.containers[0].image: must not be empty',
    ],
  ])('is impossible with %s', (_, parts, seen) => {
    expect(seenIn(render(ON, parts))).toBe(seen);
  });

  it.each(MINORS.filter((minor) => minor < 32))('is protected at 1.%i', (minor) => {
    const policy = policyWith({ source: { version: `1.${minor}.1` } });
    const rendering = render(ON, { policy });
    expect(protectionOf(configOf(rendering, 'kcm', `1.${minor}.1`), policy)).toBe('protected');
    const again = render(ON, { policy, current: textOf(rendering) });
    expect(again).toEqual(rendering);
  });
});

describe('external KCM', () => {
  it('loses provider, cloud configuration and Leader Migration', () => {
    expect(difference(GUIDE, textOf(render(EXTERNAL, { current: GUIDE })))).toEqual([
      '- - --cloud-config=/etc/kubernetes/cloud.conf',
      '- - --cloud-provider=acme # our own build',
      '- - --enable-leader-migration=true',
      '- - --leader-migration-config=/etc/leadermigration.conf',
      '- image: registry.example/kube-controller-manager:v1.29.15',
      '- - mountPath: /etc/kubernetes/cloud.conf',
      '- name: cloud-config',
      '- - name: lm-conf',
      '- mountPath: /etc/leadermigration.conf',
      '- path: /etc/kubernetes/cloud.conf',
      '- type: File',
      '- name: cloud-config',
      '- - name: lm-conf',
      '- hostPath:',
      '- path: /etc/leadermigration.conf',
      '- type: File',
      '+ - --cloud-provider=external # our own build',
      '+ image: registry.example/kcm:v1.30.14',
    ]);
  });

  it('is the same from the baseline, and again', () => {
    const rendering = render(EXTERNAL);
    expect(render(EXTERNAL, { current: null })).toEqual(rendering);
    expect(render(EXTERNAL, { current: textOf(rendering) })).toEqual(rendering);
    expect(configOf(rendering, 'kcm', '1.30.14')).toMatchObject({
      cloudProvider: 'external',
      cloudLoops: false,
      leaderMigration: { kind: 'off' },
      cloudConfigHash: '',
    });
  });

  it('loses what its version refuses', () => {
    const current = edited(KCM, {
      setArguments: {
        'feature-gates': 'DisableCloudProviders=false,A=true',
        'pod-eviction-timeout': '5m',
      },
    });
    const words = manifestOf(textOf(render(EXTERNAL, { current }))).arguments;
    expect(words).toContain('--feature-gates=A=true');
    expect(words.join()).not.toContain('pod-eviction-timeout');
  });

  const ipam = policyWith({
    lock: { controllers: ['service', 'route', 'cloud-node-lifecycle', 'nodeipam'] },
  });

  it('leaves node IPAM to the CCM where it migrates, and takes it back', () => {
    const external = textOf(render(EXTERNAL, { policy: ipam }));
    expect(manifestOf(external).arguments).toContain(
      '--controllers=*,bootstrapsigner,tokencleaner,-nodeipam',
    );
    expect(textOf(render(EXTERNAL, { policy: ipam, current: external }))).toBe(external);
    const back = render(ON, { policy: ipam, current: external, baseline: null });
    expect(manifestOf(textOf(back)).arguments).toContain(
      '--controllers=*,bootstrapsigner,tokencleaner',
    );
    expect(protectionOf(configOf(back, 'kcm', '1.29.15'), ipam)).toBe('protected');
  });

  it('names node IPAM once', () => {
    const current = edited(KCM, { setArguments: { controllers: '*,node-ipam-controller' } });
    const { arguments: words } = manifestOf(textOf(render(EXTERNAL, { policy: ipam, current })));
    expect(words).toContain('--controllers=*,-nodeipam');
    const bare = edited(KCM, { removeArguments: ['controllers'] });
    expect(
      manifestOf(textOf(render(ON, { policy: ipam, current: bare }))).arguments.join(),
    ).not.toContain('--controllers');
    const off = edited(KCM, { setArguments: { controllers: '*,-node-ipam-controller' } });
    expect(
      manifestOf(textOf(render(EXTERNAL, { policy: ipam, current: off }))).arguments,
    ).toContain('--controllers=*,-node-ipam-controller');
  });

  it.each([
    [
      'nothing to start from',
      { current: null, baseline: null },
      'CCM2002 neither a manifest on the node nor a recorded baseline',
    ],
    [
      'an unreadable manifest',
      { current: 'a: [' },
      'CCM2015 1:5: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    [
      'an image that is none',
      { policy: policyWith({ target: { kcmImage: '' } }) },
      'CCM2015 25:12: spec.containers[0].image: must not be empty',
    ],
    [
      'an allocator that needs a provider',
      { current: edited(KCM, { setArguments: { 'cidr-allocator-type': 'CloudAllocator' } }) },
      'CCM2013 --cidr-allocator-type=CloudAllocator',
    ],
  ])('is impossible with %s', (_, parts, seen) => {
    expect(seenIn(render(EXTERNAL, parts))).toBe(seen);
  });

  it('needs no known version, and no provider to take away', () => {
    const current = edited(KCM, { removeArguments: ['cloud-provider'] });
    const policy = policyWith({ target: { version: 'edge' } });
    const words = manifestOf(textOf(render(EXTERNAL, { current, policy }))).arguments;
    expect(words).toContain('--cloud-provider=external');
    expect(textOf(render(OFF, { current }))).toBe(textOf(render(OFF)));
  });

  it('needs no manifest when it is parked', () => {
    expect(render({ manager: 'kcm', role: 'parked' })).toEqual({
      kind: 'rendered',
      manifest: null,
      files: {},
      configMap: null,
    });
  });
});
