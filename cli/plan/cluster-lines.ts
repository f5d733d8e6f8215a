import { clusterOwner } from '../../domain/facts/owners.js';
import type { ClusterObservation } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager, Owner } from '../../domain/vocabulary.js';
import { counted } from '../terminal/counted.js';
import { WHO_RUNS } from '../terminal/who-runs.js';

/** Which cluster was looked at: its versions, its nodes, and who leads the cloud controllers. */
export function clusterLines(
  observation: ClusterObservation,
  policy: MigrationPolicy,
): readonly string[] {
  const { cluster, apiServers, nodes, inventory } = observation;
  const kcms = [
    ...new Set(nodes.flatMap(({ kcm }) => kcm.processes.map(({ config }) => config.version))),
  ].join(', ');
  const servers = apiServers.versions.join(', ');
  const named = nodes.map(({ name }) => name).join(', ');
  const owner = clusterOwner(observation, policy.lock.controllers);
  const where = owner === 'kcm' || owner === 'ccm' ? holdersOf(owner, observation) : '';
  return [
    `Cluster:   ${cluster.name} (${cluster.uid})`,
    `Versions:  API server ${servers === '' ? 'unknown' : servers} · KCM ${kcms === '' ? 'unknown' : kcms} → ${policy.target.version} · CCM ${policy.ccm.version}`,
    `Nodes:     ${counted(nodes.length, 'control-plane node')} (${named}) · ${counted(inventory.workers.total, 'worker')}`,
    `Leader:    ${LEADERS[owner]}${where}`,
  ];
}

/** Where the processes are that hold a Lease by name, as far as anybody can tell. */
function holdersOf(manager: Manager, { nodes }: ClusterObservation): string {
  const names = nodes.flatMap((node) =>
    node[manager].processes.some(({ identity }) => identity !== null) ? [node.name] : [],
  );
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

const LEADERS: Readonly<Record<Owner, string>> = { ...WHO_RUNS, unknown: 'unknown' };
