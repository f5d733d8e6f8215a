import { describe, expect, it } from '@jest/globals';
import type { SettingsContext } from '../../../domain/managers/manager-arguments.js';
import { imageVersion, managerConfig } from '../../../domain/managers/manager-arguments.js';
import { compileLeaderMigration } from '../../../domain/managers/compile-leader-migration.js';
import type { ManagerConfig } from '../../../domain/observation/observation.js';
import type { Manager } from '../../../domain/vocabulary.js';

const LOCK = {
  namespace: 'kube-system',
  name: 'cloud-provider-extraction-migration',
  controllers: ['service', 'route', 'cloud-node-lifecycle'],
} as const;

interface Given extends SettingsContext {
  readonly manager?: Manager;
  readonly image?: string;
}

function config(words: readonly string[], given: Given = {}): ManagerConfig {
  const {
    manager = 'kcm',
    image = 'registry.example/kube-controller-manager:v1.30.14',
    ...context
  } = given;
  return managerConfig(manager, { image, arguments: words }, context);
}

describe('managerConfig', () => {
  it('managerConfig fills in the defaults of a KCM', () => {
    expect(config([])).toEqual({
      manager: 'kcm',
      image: 'registry.example/kube-controller-manager:v1.30.14',
      version: '1.30.14',
      cloudProvider: '',
      cloudLoops: false,
      leaderElect: true,
      mainLock: { namespace: 'kube-system', name: 'kube-controller-manager' },
      timings: { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 },
      leaderMigration: { kind: 'off' },
      contendsForMigrationLock: true,
      clusterName: 'kubernetes',
      clusterCidr: '',
      routes: false,
      controllers: '*',
      cloudConfigHash: '',
    });
  });

  it('managerConfig fills in the defaults of a CCM', () => {
    expect(
      config([], { manager: 'ccm', image: 'ccm:latest', versionHint: '0.30.2' }),
    ).toMatchObject({
      version: '0.30.2',
      cloudLoops: true,
      mainLock: { namespace: 'kube-system', name: 'cloud-controller-manager' },
      routes: true,
    });
  });

  it('managerConfig reads given values', () => {
    const words = [
      '--cloud-provider=acme',
      '--leader-elect-resource-namespace=ops',
      '--leader-elect-resource-name=kcm',
      '--leader-elect-lease-duration=60s',
      '--leader-elect-renew-deadline',
      '40s',
      '--leader-elect-retry-period=wrong',
      '--cluster-name=prod',
      '--cluster-cidr=10.0.0.0/8',
      '--controllers=*,-ttl',
      '--controllers=-nodeipam',
      '--cloud-config=/etc/cloud',
      '--allocate-node-cidrs',
      '--cidr-allocator-type=CloudAllocator',
      '--feature-gates=A=true',
      '--feature-gates=B=false',
    ];
    expect(config(words)).toMatchObject({
      cloudProvider: 'acme',
      cloudLoops: true,
      mainLock: { namespace: 'ops', name: 'kcm' },
      timings: { leaseDurationSeconds: 60, renewDeadlineSeconds: 40, retryPeriodSeconds: 0 },
      clusterName: 'prod',
      clusterCidr: '10.0.0.0/8',
      controllers: '*,-ttl,-nodeipam',
      routes: true,
      cloudConfigHash: 'unread:/etc/cloud',
      featureGates: 'A=true,B=false',
    });
    expect(config(words)).not.toHaveProperty('cidrAllocator');
  });

  it.each([
    [['--cloud-provider=external'], false],
    [['--cloud-provider=acme'], true],
    [['--cloud-provider=openstack'], false],
    [['--cloud-provider=acme', '--controllers=*,-service,-route,-cloud-node-lifecycle'], false],
    [['--cloud-provider=acme', '--controllers=*,-service,-route'], true],
  ])('a KCM with %j runs cloud loops: %s', (words, loops) =>
    expect(config(words).cloudLoops).toBe(loops),
  );

  it('managerConfig assumes loops for a KCM of unknown version', () => {
    expect(config(['--cloud-provider=openstack'], { image: 'kcm:latest' })).toMatchObject({
      version: '',
      cloudLoops: true,
    });
  });

  it.each([
    [['--allocate-node-cidrs=true'], true],
    [['--allocate-node-cidrs=true', '--configure-cloud-routes=false'], false],
    [['--configure-cloud-routes=true'], false],
    [['--allocate-node-cidrs', '--controllers=*,-route'], false],
  ])('a KCM with %j manages routes: %s', (words, on) => expect(config(words).routes).toBe(on));

  it.each([
    [['--allocate-node-cidrs', '--cidr-allocator-type=CloudAllocator'], 'CloudAllocator'],
    [['--cidr-allocator-type=CloudAllocator'], undefined],
    [['--allocate-node-cidrs'], undefined],
  ])('a KCM with %j has the allocator %s', (words, allocator) =>
    expect(config(words).cidrAllocator).toBe(allocator),
  );

  it.each([
    ['kcm', 30, '*', true],
    ['kcm', 30, '*,-serviceaccount-token', false],
    ['kcm', 30, 'service-lb-controller', false],
    ['kcm', 28, 'service-lb-controller', true],
    ['ccm', 30, 'service-lb-controller', true],
  ] as const)(
    '%s 1.%i with --controllers=%s tries the migration lock: %s',
    (manager, minor, list, tries) => {
      const seen = config([`--controllers=${list}`], { manager, versionHint: `1.${minor}.0` });
      expect(seen.contendsForMigrationLock).toBe(tries);
    },
  );

  it.each([
    [undefined, 'unread:/c'],
    [null, 'missing:/c'],
    ['sha256:12', 'sha256:12'],
  ] as const)('managerConfig hashes the cloud configuration %j', (cloudConfigHash, hash) => {
    const other = cloudConfigHash === undefined ? {} : { cloudConfigHash };
    expect(config(['--cloud-config=/c'], other).cloudConfigHash).toBe(hash);
  });

  it.each([
    ['r.example:5000/kcm:v1.29.15', '1.29.15'],
    ['kcm:1.30.0-acme.2@sha256:abc', '1.30.0-acme.2'],
    ['kcm@sha256:abc', ''],
    ['kcm:v2.1.0', ''],
  ])('the image %s has version %j', (image, version) => expect(imageVersion(image)).toBe(version));
});

describe('Leader Migration in effect', () => {
  const on = '--enable-leader-migration';
  const file = '--leader-migration-config=/lm.yaml';
  const compiled = compileLeaderMigration({ manager: 'kcm', version: '1.30.14', lock: LOCK });
  const good = { leaderMigrationFile: compiled.text };
  const at = (minor: number): Given => ({ versionHint: `1.${minor}.0` });
  const gate = (value: string): string =>
    `--feature-gates=ControllerManagerLeaderMigration=${value}`;

  it('our own file is read as protected', () => {
    expect(config([on, file], good).leaderMigration).toEqual({
      kind: 'on',
      lock: { namespace: LOCK.namespace, name: LOCK.name },
      dispositions: {
        service: 'migrated',
        route: 'migrated',
        'cloud-node-lifecycle': 'migrated',
        nodeipam: 'nonMigrated',
      },
      configHash: compiled.digest,
    });
  });

  it('the lock is in the namespace of the main lock', () => {
    const { leaderMigration } = config([on, file, '--leader-elect-resource-namespace=ops'], good);
    expect(leaderMigration).toMatchObject({ lock: { namespace: 'ops' } });
  });

  it.each([
    ['not asked for', [file], good],
    ['switched off', [`${on}=false`, file], good],
    ['no leader election', [on, file, '--leader-elect=false'], good],
    ['a CCM that ignores it', [on, file], { ...good, leaderMigrationSupport: 'absent' as const }],
    ['1.21 without its gate', [on, file], { ...good, ...at(21) }],
    ['1.23 with its gate off', [on, file, gate('false')], { ...good, ...at(23) }],
  ])('Leader Migration is off: %s', (_, words, other) => {
    expect(config(words, other).leaderMigration).toEqual({ kind: 'off' });
  });

  it.each([
    ['1.22 by default', [on], at(22), 'migrated'],
    ['1.27 by default', [on], at(27), 'migrated'],
    ['1.28 by default protects nothing', [on], at(28), 'nonMigrated'],
    ['1.24 with its gate', [on, gate('true')], at(24), 'migrated'],
    ['1.23 with its gate', [on, gate('true')], at(23), 'migrated'],
  ])('the built-in default applies: %s', (_, words, other, service) => {
    expect(config(words, other).leaderMigration).toMatchObject({
      kind: 'on',
      configHash: 'built-in',
      dispositions: { service },
    });
  });

  it.each([
    [
      'no default at 1.21',
      [on, gate('true')],
      at(21),
      '1.21 has no built-in default: a file is mandatory',
    ],
    [
      'an unknown version',
      [on],
      { image: 'kcm' },
      'the version of the binary is unknown, and so are its controller names',
    ],
    [
      'not read',
      [on, file],
      {},
      '/lm.yaml was not read: name it by an absolute path without .. and //',
    ],
    ['missing', [on, file], { leaderMigrationFile: null }, '/lm.yaml is missing'],
    [
      'broken',
      [on, file],
      { leaderMigrationFile: 'kind: Pod' },
      '/lm.yaml 1:1: kind: must be LeaderMigrationConfiguration, not "Pod"',
    ],
  ])('Leader Migration is unreadable: %s', (_, words, other, why) => {
    expect(config(words, other).leaderMigration).toEqual({ kind: 'unreadable', why });
  });

  it('reasons are short, since observations are bounded', () => {
    const text = `kind: ${'x'.repeat(1000)}`;
    const { leaderMigration } = config([on, file], { leaderMigrationFile: text });
    expect(JSON.stringify(leaderMigration).length).toBeLessThan(400);
  });
});
