import { describe, expect, it } from '@jest/globals';
import { protectionOf } from '../../../domain/ownership/protection.js';
import type { RenderRequest } from '../../../domain/manifests/render-manager.js';
import type { Rendering } from '../../../domain/manifests/rendered.js';
import { CCM_POD, configOf, KCM, policyWith, textOf } from './given-manifests.js';
import { edited, render as rendered } from './given-kcm.js';

const render = (parts: Partial<RenderRequest>): Rendering =>
  rendered({ manager: 'ccm', role: 'running', leaderMigration: 'on' }, { current: null, ...parts });
const kcmList = (controllers: string): string => edited(KCM, { setArguments: { controllers } });

describe('--controllers of the CCM', () => {
  const listOf = (rendering: Rendering, version = '1.30.2'): string =>
    configOf(rendering, 'ccm', version).controllers;
  const ownList = (controllers: string): Partial<RenderRequest> => ({
    materials: { ccmManifest: CCM_POD.concat(`    - --controllers=${controllers}\n`) },
  });

  it.each([
    ['*,-service', '1.30.2', '*,-service-lb-controller'],
    ['*,-service-lb-controller', '1.27.1', '*,-service'],
    ['*,-service,-cloud-node-lifecycle', '1.27.1', '*,-service,-cloud-node-lifecycle'],
    ['*,-route', '1.30.2', '*'],
    ['*,-ttl', '1.30.2', '*'],
  ])(
    'the CCM leaves off what a KCM with %s leaves off, with library %s',
    (list, version, expected) => {
      const policy = policyWith({ ccm: { version } });
      const rendering = render({ baseline: kcmList(list), policy });
      expect(listOf(rendering, version)).toBe(expected);
      expect(protectionOf(configOf(rendering, 'ccm', version), policy)).toBe('protected');
      expect(
        render({
          baseline: kcmList(list),
          policy,
          materials: { ccmManifest: textOf(rendering) },
        }),
      ).toEqual(rendering);
    },
  );

  it('the CCM keeps what the operator leaves off in addition', () => {
    const parts = { baseline: kcmList('*,-service'), ...ownList('*,-cloud-node-controller') };
    expect(listOf(render(parts))).toBe('*,-cloud-node-controller,-service-lb-controller');
  });

  it.each([
    ['*,-service', '*,service', 'service'],
    ['*', '*,-service-lb-controller', 'service'],
    ['*', 'cloud-node', 'service, route, cloud-node-lifecycle'],
  ])('--controllers is not written where the KCM has %s and the operator %s', (kcm, own, wrong) => {
    const rendering = render({ baseline: kcmList(kcm), ...ownList(own) });
    expect(rendering.kind === 'impossible' && rendering.finding).toMatchObject({
      code: 'CCM1308',
      seen: `--controllers=${own}, KCM --controllers=${kcm}: ${wrong}`,
    });
  });

  it('the CCM allocates no pod ranges where the KCM did not', () => {
    const controllers = ['service', 'route', 'cloud-node-lifecycle', 'nodeipam'] as const;
    const policy = policyWith({ lock: { controllers } });
    const rendering = render({ policy, baseline: kcmList('*,-nodeipam') });
    expect(textOf(rendering)).not.toContain('allocate-node-cidrs');
    expect(listOf(rendering)).toBe('*');
  });
});
