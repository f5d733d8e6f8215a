import { describe, expect, it } from '@jest/globals';
import { MINORS } from '../../../domain/managers/minors.js';
import { protectionOf } from '../../../domain/ownership/protection.js';
import { CCM_POD, configOf, difference, KCM, policyWith, textOf } from './given-manifests.js';
import { edited, EXTERNAL, GUIDE, OFF, ON, render, seenIn } from './given-kcm.js';

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

  it("has our file in place of the guide's", () => {
    expect(textOf(render(ON, { current: GUIDE }))).not.toContain('leadermigration.conf');
    expect(textOf(render(OFF, { current: GUIDE }))).not.toContain('leadermigration.conf');
  });

  it('comes from the baseline where the present one is external', () => {
    const external = textOf(render(EXTERNAL));
    expect(textOf(render(ON, { current: external }))).toBe(textOf(render(ON)));
    expect(textOf(render(ON, { current: null }))).toBe(textOf(render(ON)));
  });

  it('comes from any manifest when nothing is lost by it', () => {
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
  ])('a rendered in-tree KCM has its gates: %s', (_, parts, gates) => {
    expect(configOf(render(OFF, parts), 'kcm', '1.29.3').featureGates).toBe(gates);
  });

  it.each([
    [
      'nothing to start from',
      { current: null, baseline: null },
      'CCM2002 neither a manifest on the node nor a recorded baseline',
    ],
    [
      'an unknown cloud configuration',
      {
        current: textOf(render(EXTERNAL)),
        baseline: null,
        materials: { ccmManifest: withCloudConfig },
      },
      'CCM2002 no manifest shows the --cloud-config of the in-tree KCM',
    ],
    [
      'a CCM manifest without cloud configuration',
      { current: textOf(render(EXTERNAL)), baseline: null, materials: { ccmManifest: '' } },
      'CCM2002 no manifest shows the --cloud-config of the in-tree KCM',
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
