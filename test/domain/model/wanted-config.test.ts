import { describe, expect, it } from '@jest/globals';
import { wantedConfig } from '../../../domain/model/wanted-config.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import { clusterOf, kcmConfig, policyOf, type ClusterSpec } from '../../support/cluster-builder.js';

const IN_TREE = { manager: 'kcm', role: 'inTree', leaderMigration: 'on' } as const;
const EXTERNAL = { manager: 'kcm', role: 'external' } as const;
const CCM = { manager: 'ccm', role: 'running', leaderMigration: 'off' } as const;
const HOLDERS = { kcmLeader: 'free', ccmLeader: 'free', migration: 'free' } as const;

const among = (nodes: ClusterSpec['nodes']): ClusterObservation => clusterOf({ ...HOLDERS, nodes });

describe('the predicted settings of a manager', () => {
  it('a KCM gets the settings of the others', () => {
    const config = wantedConfig(IN_TREE, among([{ kcm: 'inTree', ccm: 'none' }]), policyOf());
    expect(config).toMatchObject({
      manager: 'kcm',
      clusterCidr: '10.200.0.0/16',
      cloudProvider: 'labcloud',
      cloudLoops: true,
      leaderMigration: { kind: 'on' },
    });
  });

  it('a KCM gets those of the baseline where none is left', () => {
    const config = wantedConfig(IN_TREE, among([{ kcm: 'none', ccm: 'on' }]), policyOf());
    expect(config).toMatchObject({ manager: 'kcm', clusterCidr: '10.200.0.0/16' });
    expect(config.mainLock.name).toBe('kube-controller-manager');
  });

  it.each([
    { want: IN_TREE, lock: 'kube-controller-manager' },
    { want: CCM, lock: 'cloud-controller-manager' },
  ])("a KCM with neither gets upstream's defaults: $lock", ({ want, lock }) => {
    const nothing = { ...among([{ kcm: 'none', ccm: 'none' }]), baseline: null };
    expect(wantedConfig(want, nothing, policyOf())).toMatchObject({
      manager: want.manager,
      mainLock: { namespace: 'kube-system', name: lock },
      clusterName: 'kubernetes',
      cloudLoops: true,
    });
  });

  it('the first CCM agrees with the KCMs, with a baseline or without', () => {
    const present = among([{ kcm: 'inTree', ccm: 'none' }]);
    for (const observation of [present, { ...present, baseline: null }]) {
      expect(wantedConfig(CCM, observation, policyOf())).toMatchObject({
        manager: 'ccm',
        clusterCidr: '10.200.0.0/16',
        controllers: '*',
        leaderMigration: { kind: 'off' },
      });
    }
  });

  it('a CCM leaves off what the KCM leaves off, and the KCM gets its own list back', () => {
    const present = among([{ kcm: 'inTree', ccm: 'on' }]);
    const kcm = { ...kcmConfig('inTree'), controllers: '*,-service' };
    const observation = {
      ...present,
      baseline: { digest: 'd', kcm, controlPlaneNodes: 1 },
    };
    expect(wantedConfig(CCM, observation, policyOf()).controllers).toBe('*,-service-lb-controller');
    expect(wantedConfig(IN_TREE, observation, policyOf()).controllers).toBe('*,-service');
  });

  it('an external KCM leaves node IPAM to the CCM where it migrates', () => {
    const present = among([{ kcm: 'inTree', ccm: 'on' }]);
    const { lock } = policyOf();
    const ipam = policyOf({ lock: { ...lock, controllers: [...lock.controllers, 'nodeipam'] } });
    expect(wantedConfig(EXTERNAL, present, ipam).controllers).toBe('*,-nodeipam');
    expect(wantedConfig(EXTERNAL, present, policyOf()).controllers).toBe('*');
  });
});
