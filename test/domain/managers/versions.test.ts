import { describe, expect, it } from '@jest/globals';
import { gateProblems, gatesFor } from '../../../domain/managers/feature-gates.js';
import {
  hasCloudLoops,
  isLegacyProvider,
  lastMinorWithLoops,
} from '../../../domain/managers/in-tree-providers.js';
import { compareVersions, isSupportedMinor, minorOf } from '../../../domain/managers/minors.js';

describe('versions', () => {
  it.each([
    ['1.30.14', 30],
    ['v1.30.14', 30],
    ['0.30.14', 30],
    ['v1.29.15-gke.100', 29],
    ['1.30', 30],
    ['1.30.0+k3s1', 30],
    ['latest', null],
    ['2.30.1', null],
    ['1.30x', null],
  ])('version %s is of minor %s', (version, minor) => expect(minorOf(version)).toBe(minor));

  it.each([
    ['1.29.15', '1.30.0', -1],
    ['1.30.2', '1.30.14', -1],
    ['v1.30.1', '1.30.1', 0],
    ['1.30', '1.30.0', 0],
    ['1.31.0', '1.30.99', 1],
    ['latest', '1.21.0', -1],
  ])('version %s is compared with %s', (a, b, order) => expect(compareVersions(a, b)).toBe(order));

  it.each([
    [20, false],
    [21, true],
    [36, true],
    [37, false],
  ])('1.%i is supported: %s', (minor, yes) => expect(isSupportedMinor(minor)).toBe(yes));
});

describe('in-tree providers', () => {
  it.each([
    ['openstack', 25],
    ['aws', 26],
    ['azure', 29],
    ['vsphere', 29],
    ['gce', 30],
    ['acme', 31],
  ])('the provider %s has loops up to 1.%i', (provider, last) => {
    expect(lastMinorWithLoops(provider)).toBe(last);
    expect(hasCloudLoops(provider, last)).toBe(true);
    expect(hasCloudLoops(provider, last + 1)).toBe(false);
  });

  it.each(['', 'external', 'photon'])('the provider %j never has loops', (provider) => {
    expect(hasCloudLoops(provider, 21)).toBe(false);
    expect(lastMinorWithLoops(provider)).toBeNull();
  });

  it('a provider of Kubernetes is distinguished from a build of the user', () => {
    expect([isLegacyProvider('gce'), isLegacyProvider('acme')]).toEqual([true, false]);
  });
});

const use = (minor: number, cloudProvider = 'acme', leaderMigration = false) => ({
  minor,
  cloudProvider,
  leaderMigration,
});

describe('gates', () => {
  it.each([
    ['foreign gates stay in order', 'B=true,A=false', use(30), 'B=true,A=false'],
    [
      'Leader Migration needs its gate at 1.21',
      '',
      use(21, 'acme', true),
      'ControllerManagerLeaderMigration=true',
    ],
    ['not without Leader Migration', 'ControllerManagerLeaderMigration=true', use(21), ''],
    [
      'dropped where it is on anyway',
      'ControllerManagerLeaderMigration=true',
      use(25, 'acme', true),
      '',
    ],
    ['azure at 1.29', 'A=true', use(29, 'azure'), 'A=true,DisableCloudProviders=false'],
    ['gce at 1.30', 'DisableCloudProviders=true', use(30, 'gce'), 'DisableCloudProviders=false'],
    ['gce at 1.28', 'DisableCloudProviders=true', use(28, 'gce'), ''],
    ['own build at 1.30', '', use(30), ''],
    ['external at 1.30', 'DisableCloudProviders=false', use(30, 'external'), ''],
    ['locked at 1.31', 'DisableCloudProviders=false', use(31, 'external'), ''],
    [
      'kubelet gate kept',
      'DisableKubeletCloudCredentialProviders=false',
      use(30),
      'DisableKubeletCloudCredentialProviders=false',
    ],
    ['kubelet gate dropped', 'DisableKubeletCloudCredentialProviders=false', use(31), ''],
  ])('gates are computed: %s', (_, before, wanted, after) => {
    expect(gatesFor(before, wanted)).toBe(after);
    expect(gateProblems(after, wanted)).toEqual([]);
  });

  it.each([
    [
      'ControllerManagerLeaderMigration=true',
      use(27),
      'ControllerManagerLeaderMigration is unknown since 1.27',
    ],
    [
      'ControllerManagerLeaderMigration=false',
      use(24),
      'ControllerManagerLeaderMigration is locked to true at 1.24',
    ],
    [
      'ControllerManagerLeaderMigration=false',
      use(23, 'acme', true),
      'ControllerManagerLeaderMigration=false turns Leader Migration off',
    ],
    [
      '',
      use(21, 'acme', true),
      'needs --feature-gates=ControllerManagerLeaderMigration=true at 1.21',
    ],
    ['DisableCloudProviders=false', use(21), 'DisableCloudProviders is unknown before 1.22'],
    [
      'DisableCloudProviders=true',
      use(28, 'azure'),
      'DisableCloudProviders=true ends a KCM with --cloud-provider=azure',
    ],
    ['', use(29, 'azure'), 'needs --feature-gates=DisableCloudProviders=false at 1.29'],
    [
      'DisableCloudProviders=false',
      use(31, 'external'),
      'DisableCloudProviders is locked to true at 1.31',
    ],
    [
      'DisableCloudProviders=true',
      use(33, 'external'),
      'DisableCloudProviders is unknown since 1.33',
    ],
  ])('the gates %j have one problem with %j', (gates, wanted, problem) => {
    expect(gateProblems(gates, wanted)).toEqual([problem]);
  });

  it.each([
    ['DisableCloudProviders=true', use(31, 'external')],
    ['DisableCloudProviders=false', use(28, 'azure')],
    ['ControllerManagerLeaderMigration=false', use(23)],
    ['=x, ,A', use(30)],
  ])('the gates %s are valid with %j', (gates, wanted) =>
    expect(gateProblems(gates, wanted)).toEqual([]),
  );
});
