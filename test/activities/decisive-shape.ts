import { settleElections } from '../../domain/model/elections.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  ManagerConfig,
  ManagerSlot,
} from '../../domain/observation/observation.js';
import { findLease, managerProcesses } from '../../domain/ownership/owners.js';

/**
 * What the rules decide on, once elections have settled: without identities, process ids, times, versions of records, digests that only the
 * original text can have, and Leases without a holder. kubeadm's configuration follows one node at a time, so it agrees with all of them
 * only at the end.
 */
export function decisiveShape(observation: ClusterObservation): object {
  const settled = settleElections(observation);
  const { access, baseline, ccmWorkload, etcd, inventory, machinesOrdered } = settled;
  return {
    nodes: settled.nodes.map(nodeShape),
    leases: leaseShapes(settled),
    access,
    baseline: baseline && { ...baseline, digest: '', kcm: configShape(baseline.kcm) },
    ccmWorkload: { source: ccmWorkload.source, owner: ccmWorkload.owner },
    etcd: etcd.members.map(({ node, voter, healthy }) => ({ node, voter, healthy })),
    machinesOrdered,
    workers: { ...inventory.workers, total: 0, ready: 0 },
    services: { ...inventory.services, ingressDigest: '' },
  };
}

function nodeShape({
  name,
  ready,
  cordoned,
  reachable,
  kcm,
  ccm,
  ...node
}: ControlPlaneNode): object {
  const { kubeletVersion, kubeletCloudProvider } = node;
  return {
    name,
    kubeletVersion,
    kubeletCloudProvider,
    ready,
    cordoned,
    reachable,
    kcm: slotShape(kcm),
    ccm: slotShape(ccm),
  };
}

function slotShape({ manifest, processes }: ManagerSlot): object {
  const config = manifest.state === 'present' ? configShape(manifest.config) : null;
  return {
    manifest: manifest.state,
    source: manifest.state === 'present' ? manifest.source : '',
    config,
    processes: processes.map((process) => ({
      liveness: process.liveness,
      config: configShape(process.config),
    })),
  };
}

function configShape({ leaderMigration, ...config }: ManagerConfig): object {
  return {
    ...config,
    // The operator's own manifest decides which cloud configuration a CCM names.
    cloudConfigHash: config.manager === 'ccm' ? '' : config.cloudConfigHash,
    leaderMigration:
      leaderMigration.kind === 'on' ? { ...leaderMigration, configHash: '' } : leaderMigration,
  };
}

/** Which manager holds each lock: any of its processes may have won. */
function leaseShapes(observation: ClusterObservation): object {
  const processes = managerProcesses(observation);
  const held = observation.leases.filter(({ holderState }) => holderState !== 'none');
  return held.map((ref) => {
    const lease = findLease(observation, ref);
    const holder = processes.find(({ process }) => process.identity === lease?.holder);
    return {
      name: ref.name,
      holderState: lease?.holderState,
      holder: holder?.manager ?? 'none',
    };
  });
}
