import type { LeaderMigration, ManagerConfig } from '../../domain/observation/observation.js';
import type { CloudController, Disposition, LeaseRef, Manager } from '../../domain/vocabulary.js';

/** Settings of managers by the few kinds that rules distinguish. */
export type KcmKind = 'inTree' | 'inTreeWrong' | 'inTreeLm' | 'external' | 'externalLm' | 'none';
export type CcmKind = 'none' | 'off' | 'on';

export const KCM_MAIN: LeaseRef = { namespace: 'kube-system', name: 'kube-controller-manager' };
export const CCM_MAIN: LeaseRef = { namespace: 'kube-system', name: 'cloud-controller-manager' };
export const MIGRATION: LeaseRef = {
  namespace: 'kube-system',
  name: 'cloud-provider-extraction-migration',
};

export const TIMINGS = {
  leaseDurationSeconds: 15,
  renewDeadlineSeconds: 10,
  retryPeriodSeconds: 2,
};

const ALL_MIGRATED: Readonly<Record<CloudController, Disposition>> = {
  service: 'migrated',
  route: 'migrated',
  'cloud-node-lifecycle': 'migrated',
  nodeipam: 'nonMigrated',
};

const NONE_MIGRATED: Readonly<Record<CloudController, Disposition>> = {
  service: 'nonMigrated',
  route: 'nonMigrated',
  'cloud-node-lifecycle': 'nonMigrated',
  nodeipam: 'nonMigrated',
};

export function leaderMigrationOn(names: 'right' | 'wrong' = 'right'): LeaderMigration {
  const dispositions = names === 'right' ? ALL_MIGRATED : NONE_MIGRATED;
  return { kind: 'on', lock: MIGRATION, dispositions, configHash: names };
}

export function kcmConfig(kind: Exclude<KcmKind, 'none'>): ManagerConfig {
  const external = kind === 'external' || kind === 'externalLm';
  const on = kind === 'inTreeLm' || kind === 'externalLm';
  return {
    ...common('kcm'),
    mainLock: KCM_MAIN,
    image: external ? 'kcm:v1.30.14' : 'kcm:v1.29.15',
    version: external ? '1.30.14' : '1.29.15',
    cloudProvider: external ? 'external' : 'labcloud',
    cloudLoops: !external,
    leaderMigration:
      kind === 'inTreeWrong'
        ? leaderMigrationOn('wrong')
        : on
          ? leaderMigrationOn()
          : { kind: 'off' },
  };
}

export function ccmConfig(kind: Exclude<CcmKind, 'none'>): ManagerConfig {
  return {
    ...common('ccm'),
    mainLock: CCM_MAIN,
    image: 'ccm:v1.30.14',
    version: '1.30.14',
    cloudProvider: 'labcloud',
    cloudLoops: true,
    leaderMigration: kind === 'on' ? leaderMigrationOn() : { kind: 'off' },
  };
}

function common(manager: Manager): ManagerConfig {
  return {
    manager,
    image: '',
    version: '',
    cloudProvider: '',
    cloudLoops: true,
    leaderElect: true,
    mainLock: KCM_MAIN,
    timings: TIMINGS,
    leaderMigration: { kind: 'off' },
    contendsForMigrationLock: true,
    clusterName: 'kubernetes',
    clusterCidr: '10.200.0.0/16',
    routes: true,
    controllers: '*',
    cloudConfigHash: 'cloud',
  };
}
