import { describe, expect, it } from '@jest/globals';
import { readCommandLine } from '../../../../testbed/simulator/managers/command-line.js';
import { readConfiguration } from '../../../../testbed/simulator/managers/leader-migration-file.js';
import { planLoops } from '../../../../testbed/simulator/managers/loop-plan.js';
import { readSettings } from '../../../../testbed/simulator/managers/settings.js';
import type { Launch } from '../../../../testbed/simulator/managers/launch.js';
import { ccm, kcm, MAIN, MIGRATION, node, Environment } from '../environment.js';

const HEAD =
  'kind: LeaderMigrationConfiguration\napiVersion: controllermanager.config.k8s.io/v1\nleaderName: lock\n';
const ONE = `${HEAD}controllerLeaders:\n  - { name: service, component: "*" }\n`;

function launch(
  manager: 'kcm' | 'ccm',
  version: string,
  args: readonly string[],
  file = '',
): Launch {
  return {
    manager,
    image: `registry.k8s.io/${MAIN[manager]}:v${version}`,
    arguments: args,
    hostname: 'cp-1',
    serviceAccount: 'default',
    readFile: (path) => (path === '/lm.yaml' && file !== '' ? file : undefined),
  };
}

const KCM_FLAGS = [
  '--cloud-provider=labcloud',
  '--cluster-cidr=10.0.0.0/8',
  '--allocate-node-cidrs',
];
const WITH_FILE = ['--enable-leader-migration', '--leader-migration-config=/lm.yaml'];

function plan(version: string, file: string, manager: 'kcm' | 'ccm' = 'kcm'): unknown {
  const answer = readSettings(launch(manager, version, [...KCM_FLAGS, ...WITH_FILE], file));
  return answer.ok ? planLoops(answer.settings) : answer.message;
}

function why(manager: 'kcm' | 'ccm', version: string, args: readonly string[], file = ''): string {
  const answer = readSettings(launch(manager, version, args, file));
  return answer.ok ? (answer.settings.failsWhenLeading ?? 'runs') : answer.message;
}

describe('a command line', () => {
  it('a command line is parsed as pflag parses it', () => {
    const line = readCommandLine([
      '--a=1',
      '--b',
      'two',
      '--leader-elect',
      '--a=3',
      '--t=1m30s',
      '--feature-gates=X=false',
    ]);
    expect([line.text('a', ''), line.text('b', ''), line.bool('leader-elect', false)]).toEqual([
      '3',
      'two',
      true,
    ]);
    expect([line.durationMs('t', 0), line.gate('X'), line.gate('Y')]).toEqual([
      90_000,
      false,
      undefined,
    ]);
  });
});

describe('names in the configuration', () => {
  it.each([
    ['1.27.4', 'service', 'migration'],
    ['1.27.4', 'service-lb-controller', 'main'],
    ['1.28.15', 'service', 'main'],
    ['1.28.15', 'service-lb-controller', 'migration'],
    ['1.31.0', 'service-lb-controller', 'migration'],
  ])('%s: `%s` puts the service loop under the %s lock', (version, name, lock) => {
    const file = `${HEAD}controllerLeaders:\n  - { name: ${name}, component: "*" }\n`;
    const key = lock === 'main' ? 'underMain' : 'underMigration';
    expect(plan(version, file)).toMatchObject({
      [key]: expect.arrayContaining(['service']) as unknown,
    });
  });

  it('another component’s controller is not started at all', () => {
    const file = `${HEAD}controllerLeaders:\n  - { name: service-lb-controller, component: ${MAIN.ccm} }\n`;
    expect(plan('1.30.14', file)).toMatchObject({
      underMain: ['route', 'cloud-node-lifecycle', 'nodeipam'],
      underMigration: [],
    });
    expect(plan('1.30.14', file, 'ccm')).toMatchObject({ underMigration: ['service'] });
  });

  it('1.21 knows no wildcard: `*` is the name of an unknown controller', () => {
    const file = ONE.replace('/v1\n', '/v1alpha1\nresourceLock: leases\n');
    expect(plan('1.21.5', file)).toMatchObject({
      underMain: ['route', 'cloud-node-lifecycle', 'nodeipam'],
    });
  });
});

describe('decoding', () => {
  it.each([
    [31, `${ONE}typo: 1\n`, true],
    [32, `${ONE}typo: 1\n`, false],
    [31, `${ONE}resourceLock: leases\n`, true],
    [32, `${ONE}resourceLock: leases\n`, false],
    [31, `${ONE}leaderName: twice\n`, true],
    [32, `${ONE}leaderName: twice\n`, false],
    [23, ONE, false],
    [24, ONE, true],
    [30, ONE.replace('"*"', '*'), false],
    [30, ONE.replace('leaderName: lock', ''), false],
    [30, `${HEAD}controllerLeaders:\n  - name: nodeipam\n  - component: "*"\n`, false],
    [30, 'not: a configuration\n', false],
  ])('1.%i decodes %j: %p', (minor, text, ok) => {
    expect(readConfiguration(text, minor).ok).toBe(ok);
  });
});

describe('what ends a process', () => {
  it.each([
    ['kcm 1.32 in-tree', 'kcm', '1.32.0', ['--cloud-provider=labcloud'], /unsupported value/],
    ['kcm 1.31 in-tree', 'kcm', '1.31.0', ['--cloud-provider=labcloud'], /^runs$/],
    ['aws on 1.27', 'kcm', '1.27.4', ['--cloud-provider=aws'], /unknown cloud provider/],
    ['azure on 1.29 behind the gate', 'kcm', '1.29.15', ['--cloud-provider=azure'], /disabled/],
    [
      'azure on 1.29 without the gate',
      'kcm',
      '1.29.15',
      ['--cloud-provider=azure', '--feature-gates=DisableCloudProviders=false'],
      /^runs$/,
    ],
    [
      'the gate locked on 1.31',
      'kcm',
      '1.31.0',
      ['--feature-gates=DisableCloudProviders=false'],
      /locked/,
    ],
    [
      'the gate gone on 1.33',
      'kcm',
      '1.33.0',
      ['--feature-gates=DisableCloudProviders=false'],
      /unrecognized/,
    ],
    [
      'the old gate on 1.27',
      'ccm',
      '1.27.4',
      ['--cloud-provider=x', '--feature-gates=ControllerManagerLeaderMigration=true'],
      /unrecognized/,
    ],
    ['a CCM without a provider', 'ccm', '1.30.14', [], /cannot be empty/],
    ['a missing file', 'kcm', '1.30.14', WITH_FILE, /no such file/],
    ['a missing kubeconfig', 'kcm', '1.30.14', ['--kubeconfig=/none'], /no such file/],
    ['the file without the flag', 'kcm', '1.30.14', ['--leader-migration-config=/none'], /^runs$/],
  ] as const)(
    'a process runs or ends as its binary does: %s',
    (_, manager, version, args, message) => {
      expect(why(manager, version, args)).toMatch(message);
    },
  );

  it('an endpoints lock passes validation and fails once the main lock is won', () => {
    const file = ONE.replace('/v1\n', '/v1beta1\nresourceLock: endpoints\n');
    expect(why('kcm', '1.30.14', [...KCM_FLAGS, ...WITH_FILE], file)).toMatch(
      /endpoints lock is removed/,
    );
  });

  it('a CCM with routes on and no CIDR dies each time it leads', () => {
    const plans = [node(null, ccm({ migration: 'off', extraArguments: ['--cluster-cidr='] }))];
    const environment = new Environment({ plans }).wait(30);
    expect(environment.leader(MAIN.ccm)).toBe('cp-1');
    expect(environment.mirror('cp-1', 'ccm')?.['status']).toMatchObject({
      containerStatuses: [{ restartCount: expect.any(Number) as unknown }],
    });
    expect(environment.ownedBy()).toBe('');
  });
});

describe('builds of their own', () => {
  it('Azure’s CCM takes the flags and ignores them', () => {
    const image = 'mcr.microsoft.com/oss/kubernetes/azure-cloud-controller-manager:v1.30.0';
    const plans = [
      node(kcm({ migration: 'canonical' }), ccm({ image }), { afterMs: { ccm: 8000 } }),
    ];
    const environment = new Environment({ plans }).wait(20);
    expect(environment.ownedBy()).toBe('ccm+kcm');
    expect(environment.metrics('cp-1', 'ccm')).not.toContain(MIGRATION);
  });

  it('OpenStack’s CCM serves no election metric', () => {
    const image = 'registry.k8s.io/provider-os/openstack-cloud-controller-manager:v1.30.0';
    const environment = new Environment({ plans: [node(null, ccm({ image }))] }).wait(20);
    expect(environment.metrics('cp-1', 'ccm')).toContain('running_managed_controllers');
    expect(environment.metrics('cp-1', 'ccm')).not.toContain('leader_election_master_status');
  });
});
