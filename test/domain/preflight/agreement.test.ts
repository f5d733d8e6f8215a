import { describe, expect, it } from '@jest/globals';
import { ccmConfig, TIMINGS } from '../../support/manager-configs.js';
import type { Row } from './given.js';
import { cluster, findings, withConfig, withConfigs } from './given.js';
import { ALWAYS, CCM, ccm, KCM, kcm, lock } from './rows.js';

describe('settings that must agree', () => {
  const inTree = { routes: true, clusterCidr: '10.200.0.0/16' };
  it.each<readonly [string, Row, ...string[]]>([
    ['cluster names', ccm({ clusterName: 'x' }), `CCM1301 error ${CCM}: x, KCM kubernetes`],
    ['pod ranges', ccm({ clusterCidr: '' }), `CCM1302 error ${CCM}: none, KCM 10.200.0.0/16`],
    ['routes', ccm({ routes: false }), `CCM1303 error ${CCM}: off, KCM on`],
    [
      'timings',
      ccm({ timings: { ...TIMINGS, renewDeadlineSeconds: 14 } }),
      `CCM1004 error ${CCM}: lease 15 s, renew deadline 14 s, KCM lease 15 s, renew deadline 10 s`,
    ],
    [
      'routes without a range',
      { observation: withConfigs(cluster(), 'kcm', { clusterCidr: '' }) },
      'CCM1304 error kube-controller-manager: --cluster-cidr=',
    ],
    [
      'routes with three ranges',
      { observation: withConfigs(cluster(), 'kcm', { clusterCidr: '::/64,10.0.0.0/8,::/64' }) },
      'CCM1304 error kube-controller-manager: --cluster-cidr=::/64,10.0.0.0/8,::/64',
    ],
    [
      'two ranges',
      { observation: withConfigs(cluster(), 'kcm', { clusterCidr: '::/64, 10.0.0.0/8' }) },
    ],
    [
      'no routes, no range',
      { observation: withConfigs(cluster(), 'kcm', { routes: false, clusterCidr: '' }) },
    ],
    [
      'an allocator that needs a provider',
      kcm({ cidrAllocator: 'CloudAllocator' }),
      `CCM1306 error ${KCM}: --cidr-allocator-type=CloudAllocator`,
    ],
    [
      'an allocator that migrates',
      {
        ...kcm({ cidrAllocator: 'CloudAllocator' }),
        ...lock({ controllers: [...ALWAYS, 'nodeipam'] }),
      },
      'CCM1013 warning policy.lock: nodeipam with ccm:v1.30.14',
    ],
    [
      'KCMs that differ',
      kcm({ ...inTree, clusterName: 'x', controllers: '*,-ttl' }),
      'CCM1307 warning kube-controller-manager: --cluster-name: x and kubernetes',
      'CCM1307 warning kube-controller-manager: --controllers: *,-ttl and *',
    ],
    [
      'a CCM with a main lock of another name',
      {
        observation: withConfig(
          cluster('inTreeLm', 'on'),
          'ccm',
          { mainLock: { namespace: 'kube-system', name: 'openstack-ccm' } },
          1,
        ),
      },
      'CCM1309 warning node cp-2 cloud-controller-manager: main lock kube-system/openstack-ccm, ours is kube-system/cloud-controller-manager',
    ],
    [
      'KCMs that differ in routes',
      { observation: withConfig(cluster(), 'kcm', { routes: false }, 1) },
      'CCM1307 warning kube-controller-manager: routes: on and off',
    ],
  ])('settings must agree: %s', (_, row, ...expected) => {
    expect(findings(row)).toEqual(expected);
  });

  const given = (...words: readonly string[]): string =>
    [
      'apiVersion: v1',
      'kind: Pod',
      'spec:',
      '  hostNetwork: true',
      '  containers:',
      '  - name: cloud-controller-manager',
      '    image: ccm:v1.30.14',
      `    command: ${JSON.stringify(['cloud-controller-manager', ...words])}`,
      '',
    ].join('\n');
  const all = (controllers: string): Row => ({
    observation: withConfigs(cluster(), 'kcm', { controllers }),
  });
  const MANIFEST = 'cloud-controller-manager manifest';

  it.each<readonly [string, Row, ...string[]]>([
    ['the KCMs set', { ...all('*,-service'), extra: { ccmManifest: given() } }],
    [
      'the operator sets too',
      { ...all('*,-service'), extra: { ccmManifest: given('--controllers=*,-service') } },
    ],
    [
      'the operator enables',
      { ...all('*,-service'), extra: { ccmManifest: given('--controllers=*,service') } },
      `CCM1308 error ${MANIFEST}: --controllers=*,service, KCM --controllers=*,-service: service`,
    ],
    [
      'the operator omits',
      { extra: { ccmManifest: given('--controllers=*,-service,-route') } },
      `CCM1308 error ${MANIFEST}: --controllers=*,-service,-route, KCM --controllers=*: service, route`,
    ],
    [
      'only one KCM sets',
      kcm({ controllers: '*,-service-lb-controller' }),
      'CCM1308 error node cp-2 kube-controller-manager: --controllers=*, KCM --controllers=*,-service-lb-controller: service',
      'CCM1308 error node cp-3 kube-controller-manager: --controllers=*, KCM --controllers=*,-service-lb-controller: service',
      'CCM1307 warning kube-controller-manager: --controllers: *,-service-lb-controller and *',
    ],
    [
      'a running CCM sets',
      ccm({ controllers: '*,-cloud-node-lifecycle' }),
      `CCM1308 error ${CCM}: --controllers=*,-cloud-node-lifecycle, KCM --controllers=*: cloud-node-lifecycle`,
    ],
    [
      'no KCM is left to set',
      kcm({ controllers: '*,-service,-route,-cloud-node-lifecycle', cloudLoops: false }),
      `CCM1308 error ${KCM}: --controllers=*,-service,-route,-cloud-node-lifecycle leaves no cloud controller to migrate`,
      'CCM1505 error cloud controllers: owner none',
    ],
    [
      'no KCM is left to set, of unknown version',
      kcm({ controllers: '*,-service', cloudLoops: false, version: '' }),
      `CCM1308 error ${KCM}: --controllers=*,-service leaves no cloud controller to migrate`,
      'CCM1505 error cloud controllers: owner none',
    ],
  ])('preflight compares controllers that %s', (_, row, ...expected) => {
    expect(findings(row)).toEqual(expected);
  });

  it.each([
    ['other contents', 'sha256:b', 'aws', [`CCM1305 warning ${CCM}: sha256:b, KCM sha256:a`]],
    [
      'other contents, of a build of their own',
      'sha256:b',
      'labcloud',
      [`CCM1305 warning ${CCM}: sha256:b, KCM sha256:a`],
    ],
    ['other contents, which vSphere always has', 'sha256:b', 'vsphere', []],
    ['the same contents', 'sha256:a', 'aws', []],
    ['contents that were not read', 'unread:/c', 'aws', []],
  ])('preflight compares cloud configurations: %s', (_, hash, cloudProvider, expected) => {
    const observation = {
      ...cluster('external', 'on'),
      baseline: {
        digest: 'd',
        kcm: { ...ccmConfig('off'), cloudProvider, cloudConfigHash: 'sha256:a' },
        controlPlaneNodes: 3,
      },
    };
    const changed = withConfig(observation, 'ccm', { cloudConfigHash: hash });
    expect(findings({ observation: changed })).toEqual(expected);
  });

  it('preflight compares nothing where no KCM is known', () => {
    const observation = { ...cluster('external', 'on'), baseline: null };
    expect(findings({ observation: withConfig(observation, 'ccm', { clusterName: 'x' }) })).toEqual(
      [],
    );
  });
});
