import { clusterOwner } from '../facts/owners.js';
import type { ClusterObservation, ManagerConfig, ManagerSlot } from '../observation.js';
import type { MigrationPolicy } from '../policy.js';

const OWNER_WORDS = {
  kcm: 'the kube-controller-managers run the cloud controllers',
  ccm: 'the cloud-controller-managers run the cloud controllers',
  none: 'NOBODY runs the cloud controllers',
  both: 'the cloud controllers run TWICE',
  unknown: 'it is unknown who runs the cloud controllers',
} as const;

/** Describes a cluster for the person who has to decide what to do with it. */
export function describeCluster(observation: ClusterObservation, policy: MigrationPolicy): string {
  const nodes = observation.nodes.map(
    ({ name, kcm, ccm }) => `${name}: KCM ${slotWords(kcm)}, CCM ${slotWords(ccm)}`,
  );
  const owner = OWNER_WORDS[clusterOwner(observation, policy.lock.controllers)];
  return [owner, ...nodes, ...machineWords(observation)].join('; ');
}

function machineWords({ machinesOrdered }: ClusterObservation): readonly string[] {
  return machinesOrdered.map(({ name, state }) => `machine ${name} ${state}`);
}

function slotWords({ manifest, processes }: ManagerSlot): string {
  switch (manifest.state) {
    case 'present':
      return configWords(manifest.config);
    case 'absent':
      return processes.length === 0 ? 'absent' : 'without manifest but running';
    case 'interrupted':
      return 'removed, its successor not written yet';
    case 'parked':
      return 'parked';
    case 'unknown':
      return `unreadable (${manifest.why})`;
  }
}

function configWords({ version, manager, cloudLoops, leaderMigration }: ManagerConfig): string {
  const side = manager === 'ccm' ? '' : cloudLoops ? ' in-tree' : ' external';
  const lock =
    leaderMigration.kind === 'off' ? '' : ` with Leader Migration ${leaderMigration.kind}`;
  return `${version}${side}${lock}`;
}
