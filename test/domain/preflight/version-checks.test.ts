import { describe, expect, it } from '@jest/globals';
import type { MigrationPolicy } from '../../../domain/policy.js';
import { policyOf } from '../../support/cluster-builder.js';
import type { Row } from './given.js';
import { cluster, findings, withConfigs } from './given.js';
import { KCM, kcm, source, versions } from './rows.js';

/** A cluster with these API servers, oldest first, and a KCM that matches. */
const api = (...found: string[]): Row => ({
  observation: {
    ...withConfigs(cluster(), 'kcm', { version: '1.24.1' }),
    apiServers: { versions: found, sharedAddress: 'yes' },
  },
});
const own = (nodes: MigrationPolicy['nodes']): Row => ({
  observation: {
    ...cluster(),
    apiServers: { versions: ['1.29.15'], sharedAddress: 'no' },
  },
  policy: policyOf({ nodes }),
});
const NEWER = [
  'CCM1102 error policy.target: 1.30.14 with an API server of 1.29.15',
  'CCM1102 error policy.ccm: 1.30.14 with an API server of 1.29.15',
];

describe('versions', () => {
  it.each<readonly [string, Row, ...string[]]>([
    [
      'a provider that is gone',
      source({ cloudProvider: 'external' }),
      'CCM1101 error policy.source: --cloud-provider=external at 1.29.15',
    ],
    ['old API servers behind a shared address', api('1.29.15', '1.30.14'), ...NEWER],
    ['old API servers in place', own({ forward: 'inPlace', rollback: 'inPlace' }), ...NEWER],
    ['new machines with their own API server', own({ forward: 'replace', rollback: 'inPlace' })],
    ['unknown API servers', api()],
    [
      'a manager too new',
      kcm({ version: '1.31.0' }),
      `CCM1102 error ${KCM}: 1.31.0 with an API server of 1.30.14`,
    ],
    [
      'cloud flags of the API server',
      {
        extra: {
          apiServerArguments: {
            'cp-1': ['--cloud-provider=x', '--cloud-config=y', '--v=2'],
            'cp-2': ['--v=2'],
          },
        },
      },
      'CCM1103 warning node cp-1 kube-apiserver: --cloud-provider --cloud-config',
    ],
    [
      'cloud flags of an API server that refuses them',
      {
        ...api('1.33.1'),
        policy: versions('1.32.0', '1.33.0'),
        extra: { apiServerArguments: { 'cp-1': ['--cloud-provider=x'] } },
      },
      'CCM1101 error policy.source: --cloud-provider=labcloud at 1.32.0',
      'CCM1103 error node cp-1 kube-apiserver: --cloud-provider',
    ],
    [
      'unknown versions',
      { policy: versions('1.20.4', '', '1.37.0') },
      'CCM1102 error policy.ccm: 1.37.0 with an API server of 1.30.14',
      'CCM1104 error policy.source: 1.20.4',
      'CCM1104 error policy.target: no version',
      'CCM1104 error policy.ccm: 1.37.0',
      'CCM1105 error policy.target: 1.20.4 → ',
      'CCM1106 error policy.source: 1.20.4 with an API server of 1.30.14',
      'CCM1108 info policy: KCM 1.20.4, CCM library 1.37.0',
    ],
    [
      'no versions at all',
      { policy: versions('', '') },
      'CCM1104 error policy.source: no version',
      'CCM1104 error policy.target: no version',
      'CCM1104 error policy.ccm: no version',
    ],
    ['a downgrade', source({ version: '1.31.2' }), 'CCM1105 error policy.target: 1.31.2 → 1.30.14'],
    [
      'managers too old',
      api('1.32.0'),
      'CCM1106 error policy.source: 1.29.15 with an API server of 1.32.0',
      'CCM1106 error policy.target: 1.30.14 with an API server of 1.32.0',
      'CCM1106 error policy.ccm: 1.30.14 with an API server of 1.32.0',
    ],
    [
      'names that change',
      { ...api('1.28.1'), policy: versions('1.27.4', '1.28.1') },
      'CCM1108 info policy: KCM 1.27.4, CCM library 1.28.1',
    ],
  ])('preflight checks versions: %s', (_, row, ...expected) => {
    expect(findings(row).filter((one) => !one.startsWith('CCM1107'))).toEqual(expected);
  });

  it('preflight names what the target KCM refuses, and distinguishes what had no effect from what had one', () => {
    const manifest = (...words: string[]): string =>
      [
        'apiVersion: v1',
        'kind: Pod',
        'spec:',
        '  containers:',
        '  - name: kube-controller-manager',
        '    image: kcm:v1.23.17',
        '    command:',
        '    - kube-controller-manager',
        ...words.map((word) => `    - ${word}`),
        '',
      ].join('\n');
    const row: Row = {
      extra: {
        kcmManifests: {
          'cp-1': manifest('--port=0'),
          'cp-2': manifest('--log-dir=/logs', '--feature-gates=CSIMigration=false'),
          'cp-3': manifest('--port=0'),
          'cp-4': manifest('--v=2'),
          'cp-5': 'a: [',
        },
      },
    };
    expect(findings(row)).toEqual([
      'CCM1109 warning kube-controller-manager of cp-2: --log-dir=/logs (refused since 1.26), --feature-gates=CSIMigration=false (unknown since 1.27)',
      'CCM1109 info kube-controller-manager of cp-1, cp-3: --port=0 (refused since 1.24)',
    ]);
    expect(
      findings({ ...row, policy: policyOf({ target: { ...policyOf().target, version: 'edge' } }) }),
    ).not.toContainEqual(expect.stringMatching(/^CCM1109/));
  });

  it('preflight compares what runs with the policy', () => {
    const row = kcm({ version: '1.29.1', image: 'other', cloudProvider: 'acme' });
    expect(findings(row)).toEqual([
      `CCM1107 warning ${KCM}: version 1.29.1, policy 1.29.15; image other, policy kcm:v1.29.15; --cloud-provider acme, policy labcloud`,
    ]);
  });
});
