import { describe, expect, it } from '@jest/globals';
import { protectionOf } from '../../../domain/ownership/protection.js';
import { configOf, difference, KCM, manifestOf, policyWith, textOf } from './given-manifests.js';
import { edited, EXTERNAL, GUIDE, OFF, ON, render, seenIn } from './given-kcm.js';

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

  it('is unchanged when rendered from the baseline, and again', () => {
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

  it('loses the flags that its version refuses', () => {
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

  it.each([
    ['1.21.14', '1.22.17', { port: '10252' }, {}],
    [
      '1.22.17',
      '1.23.17',
      { port: '0', address: '127.0.0.1' },
      { port: '0', address: '127.0.0.1' },
    ],
    ['1.23.17', '1.24.17', { port: '0', address: '127.0.0.1', v: '2' }, { v: '2' }],
    [
      '1.24.17',
      '1.25.16',
      { 'experimental-cluster-signing-duration': '1h', 'feature-gates': 'TTLAfterFinished=true' },
      { 'cluster-signing-duration': '1h' },
    ],
    [
      '1.25.16',
      '1.26.15',
      { logtostderr: 'false', 'log-dir': '/logs', vmodule: 'a=1' },
      { vmodule: 'a=1' },
    ],
    [
      '1.26.15',
      '1.27.16',
      { 'pod-eviction-timeout': '5m', 'feature-gates': 'CSIMigration=true,Own=true' },
      { 'feature-gates': 'Own=true' },
    ],
    ['1.30.14', '1.31.14', { 'horizontal-pod-autoscaler-downscale-delay': '5m' }, {}],
  ])(
    'from %s to %s it loses what makes it exit, and rollback loses nothing',
    (from, to, old, kept) => {
      const policy = policyWith({
        source: { version: from, kcmImage: manifestOf(KCM).image },
        target: { version: to },
      });
      const baseline = edited(KCM, { setArguments: { ...old } });
      const external = textOf(render(EXTERNAL, { current: baseline, baseline, policy }));
      const plain = textOf(render(EXTERNAL, { policy }));
      expect(external).toBe(edited(plain, { setArguments: { ...kept } }));
      expect(textOf(render(OFF, { current: external, baseline, policy }))).toBe(baseline);
    },
  );

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

  it('leaves node IPAM off where the operator has it off, forward and back', () => {
    const baseline = edited(KCM, { setArguments: { controllers: '*,-nodeipam' } });
    const parts = { policy: ipam, baseline };
    const external = textOf(render(EXTERNAL, { ...parts, current: baseline }));
    for (const current of [baseline, external, null]) {
      const { arguments: words } = manifestOf(textOf(render(ON, { ...parts, current })));
      expect(words).toContain('--controllers=*,-nodeipam');
    }
  });

  it('names node IPAM once', () => {
    const current = edited(KCM, { setArguments: { controllers: '*,node-ipam-controller' } });
    const { arguments: words } = manifestOf(textOf(render(EXTERNAL, { policy: ipam, current })));
    expect(words).toContain('--controllers=*,-nodeipam');
    const bare = edited(KCM, { removeArguments: ['controllers'] });
    expect(
      manifestOf(textOf(render(EXTERNAL, { policy: ipam, current: bare }))).arguments,
    ).toContain('--controllers=*,-nodeipam');
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

  it('needs no known version, and no provider to remove', () => {
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
