import { holds } from '../../domain/ownership/owners.js';
import { memoizeByIdentity } from '../../domain/memoize.js';
import type {
  ClusterObservation,
  ManagerConfig,
  ManagerSlot,
} from '../../domain/observation/observation.js';
import { MIGRATION } from '../support/manager-configs.js';

/**
 * Two observations with one key behave alike: names of identities, pids and times are left out. A walk computes the key of one observation
 * many times.
 */
export const stateKey = memoizeByIdentity(keyOf);

function keyOf(observation: ClusterObservation): string {
  const nodes = observation.nodes.map(
    ({ name, kcm, ccm }) => `${name}:${slotKey(observation, kcm)}/${slotKey(observation, ccm)}`,
  );
  const leases = observation.leases.map(({ name, holderState }) => `${name}=${holderState}`);
  const { leaseGrant, ccmAccess } = observation.access;
  return [
    ...nodes,
    ...leases,
    leaseGrant,
    ccmAccess,
    observation.ccmWorkload.source,
    observation.baseline === null ? 'new' : String(observation.baseline.controlPlaneNodes),
    String(observation.inventory.workers.kubeletExternal),
  ].join(' ');
}

function slotKey(observation: ClusterObservation, { manifest, processes }: ManagerSlot): string {
  const onDisk =
    manifest.state === 'present' || manifest.state === 'parked'
      ? configKey(manifest.config)
      : manifest.state === 'interrupted'
        ? configKey(manifest.successor)
        : '';
  const running = processes.map(
    (process) =>
      `${configKey(process.config)}${holds(observation, process, process.config.mainLock) ? 'L' : ''}${
        holds(observation, process, MIGRATION) ? 'M' : ''
      }${process.locks.migration}${process.liveness === 'running' ? '' : process.liveness}`,
  );
  return `${manifest.state}${onDisk}[${running.join(',')}]`;
}

function configKey({ cloudLoops, leaderMigration }: ManagerConfig): string {
  const lock = leaderMigration.kind === 'on' ? leaderMigration.configHash || 'right' : 'off';
  return `${cloudLoops ? 'i' : 'e'}-${lock}`;
}
