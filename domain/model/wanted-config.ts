import { inheritedList, withoutNodeIpam } from '../managers/controller-list.js';
import { COMPONENTS } from '../managers/controller-names.js';
import type {
  ClusterObservation,
  LeaderMigration,
  ManagerConfig,
} from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { ManagerWant } from '../decision/step.js';
import type { CloudController, Disposition } from '../vocabulary.js';

/** The settings that a manager will run with after a change, as far as they can be predicted. */
export function wantedConfig(
  want: Exclude<ManagerWant, { role: 'parked' } | { role: 'stopped' }>,
  observation: ClusterObservation,
  policy: MigrationPolicy,
): ManagerConfig {
  const base = anyConfig(observation, want.manager) ?? defaultConfig(observation, want, policy);
  switch (want.role) {
    case 'inTree':
      return {
        ...base,
        ...settings(policy.source.version, policy.source.kcmImage),
        cloudProvider: policy.source.cloudProvider,
        cloudLoops: observation.baseline?.kcm.cloudLoops ?? true,
        cloudConfigHash: observation.baseline?.kcm.cloudConfigHash ?? base.cloudConfigHash,
        controllers: observation.baseline?.kcm.controllers ?? base.controllers,
        leaderMigration: wantedLock(want.leaderMigration, policy),
      };
    case 'external':
      return {
        ...base,
        ...settings(policy.target.version, policy.target.kcmImage),
        cloudProvider: 'external',
        cloudLoops: false,
        cloudConfigHash: '',
        controllers: policy.lock.controllers.includes('nodeipam')
          ? withoutNodeIpam(base.controllers)
          : base.controllers,
        leaderMigration: { kind: 'off' },
      };
    case 'running':
      return {
        ...base,
        ...settings(policy.ccm.version, policy.ccm.image),
        cloudLoops: true,
        controllers: inheritedList(base.controllers, kcmList(observation), policy.ccm.version),
        leaderMigration: wantedLock(want.leaderMigration, policy),
      };
  }
}

/** `--controllers` of the KCM whose list the CCM copies. */
function kcmList(observation: ClusterObservation): string {
  return (observation.baseline?.kcm ?? anyConfig(observation, 'kcm'))?.controllers ?? '*';
}

function settings(version: string, image: string): { version: string; image: string } {
  return { version, image };
}

function wantedLock(leaderMigration: 'on' | 'off', policy: MigrationPolicy): LeaderMigration {
  if (leaderMigration === 'off') return { kind: 'off' };
  const { namespace, name, controllers } = policy.lock;
  return {
    kind: 'on',
    lock: { namespace, name },
    dispositions: dispositionsFor(controllers),
    configHash: '',
  };
}

function dispositionsFor(
  controllers: readonly CloudController[],
): Readonly<Record<CloudController, Disposition>> {
  const of = (controller: CloudController): Disposition =>
    controllers.includes(controller) ? 'migrated' : 'nonMigrated';
  return {
    service: of('service'),
    route: of('route'),
    'cloud-node-lifecycle': of('cloud-node-lifecycle'),
    nodeipam: of('nodeipam'),
  };
}

function anyConfig(
  observation: ClusterObservation,
  manager: 'kcm' | 'ccm',
): ManagerConfig | undefined {
  return observation.nodes
    .flatMap((node) => {
      const { manifest, processes } = node[manager];
      const onDisk =
        manifest.state === 'present' || manifest.state === 'parked' ? [manifest.config] : [];
      return [...onDisk, ...processes.map(({ config }) => config)];
    })
    .find((config) => config.manager === manager);
}

/** A CCM takes over the KCM's flags; a KCM is rebuilt from the baseline. */
function defaultConfig(
  observation: ClusterObservation,
  want: ManagerWant,
  policy: MigrationPolicy,
): ManagerConfig {
  const kcm = observation.baseline?.kcm ?? anyConfig(observation, 'kcm');
  const name = COMPONENTS[want.manager];
  const common: ManagerConfig = kcm ?? {
    manager: want.manager,
    image: '',
    version: '',
    cloudProvider: '',
    cloudLoops: true,
    leaderElect: true,
    mainLock: { namespace: policy.lock.namespace, name },
    timings: policy.kcmTimings,
    leaderMigration: { kind: 'off' },
    contendsForMigrationLock: true,
    clusterName: 'kubernetes',
    clusterCidr: '',
    routes: true,
    controllers: '*',
    cloudConfigHash: '',
  };
  const mainLock = { namespace: common.mainLock.namespace, name };
  if (want.manager === 'kcm') return { ...common, manager: 'kcm', mainLock };
  return {
    ...common,
    manager: 'ccm',
    mainLock,
    cloudProvider: policy.source.cloudProvider,
    controllers: '*',
    contendsForMigrationLock: true,
    timings: policy.ccm.timings,
  };
}
