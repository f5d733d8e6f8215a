import { apiReferences } from '../manifests/api-references.js';
import type { ManagerManifest } from '../manifests/manifest.js';
import { readManagerManifest } from '../manifests/manifest.js';
import { countedMembers } from '../observation/voting-members.js';
import type { ClusterObservation } from '../observation/observation.js';
import { severalKcms } from '../ownership/cluster-facts.js';
import { clusterOwner, heldByStrangers, holderText } from '../ownership/owners.js';
import type { MigrationPolicy } from '../policy.js';
import { MANAGERS, type Owner } from '../vocabulary.js';
import { problemLine } from '../yaml/tree.js';
import type { Check, PreflightInput, UnreadSource } from './preflight-check.js';
import { NO_FINDINGS, checkOf, found, foundAt } from './preflight-check.js';
import { about } from './node-checks.js';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

/** CCM14xx: access and workloads. */
export const ACCESS_CHECKS: readonly Check[] = [
  checkOf(
    'access that an administrator provides',
    'CCM2019',
    'access of KCM and CCM',
    ({ observation: { access }, policy: { clusterAccess, strategy } }) => {
      if (clusterAccess !== 'provided') return null;
      const lease = strategy === 'gap' ? 'present' : access.leaseGrant;
      return listed('missing or different:', [
        ...(lease === 'present' ? [] : [`to the migration Lease (${lease})`]),
        ...(access.ccmAccess === 'present' ? [] : [`of the CCM (${access.ccmAccess})`]),
      ]);
    },
  ),
  checkOf('the grant works', 'CCM1401', 'migration Lease', ({ observation: { access } }) => {
    const refused = MANAGERS.filter((manager) => access.mayUseMigrationLease[manager] === 'no');
    const isRefused = access.leaseGrant === 'present' && refused.length > 0;
    return isRefused ? `refused: ${refused.join(', ')}` : null;
  }),
  {
    ...checkOf(
      'the CCM has all rights',
      'CCM1402',
      'cloud-controller-manager',
      ({ extra: { ccmDenied = [] } }) => (ccmDenied.length === 0 ? null : ccmDenied.join(', ')),
    ),
    isSeen: ({ extra }) => extra.ccmDenied !== undefined,
  },
  {
    name: 'the CCM can start',
    codes: ['CCM1403', 'CCM5014'],
    isSeen: ({ extra }) => extra.ccmManifest !== undefined,
    inspect: ({ extra: { ccmManifest } }) => {
      if (ccmManifest === undefined) return NO_FINDINGS;
      const result = readManagerManifest(ccmManifest);
      const subject = 'cloud-controller-manager manifest';
      if (result.kind === 'invalid') {
        return found('CCM5014', { subject, seen: result.problems.map(problemLine).join('; ') });
      }
      const missing = missingForStart(result.manifest);
      const refers = result.manifest.kind === 'Pod' ? apiReferences(ccmManifest) : [];
      return [
        ...foundAt('CCM1403', subject, listed('without', missing)),
        ...foundAt('CCM1403', subject, listed('a static pod that refers to', refers)),
      ];
    },
  },
  {
    name: 'no foreign CCM workload',
    codes: ['CCM1404'],
    inspect: ({ observation: { ccmWorkload } }) =>
      ccmWorkload.owner === 'foreign' || ccmWorkload.owner === 'unknown'
        ? found('CCM1404', {
            subject: `${ccmWorkload.source} ${ccmWorkload.name}`,
            seen: `owner ${ccmWorkload.owner}`,
          })
        : NO_FINDINGS,
  },
  {
    name: 'bootstrap roles untouched',
    codes: ['CCM1405'],
    isSeen: ({ extra }) => extra.patchedRoles !== undefined,
    inspect: ({ extra: { patchedRoles = [] } }) =>
      patchedRoles.flatMap((role) =>
        foundAt('CCM1405', `Role ${role}`, 'create bound to the migration Lease'),
      ),
  },
  {
    name: 'the gates can be read',
    codes: ['CCM1406'],
    // Without node access no page was read.
    isSeen: ({ extra: { gatesUnread, notChecked = [] } }) =>
      gatesUnread !== undefined && notChecked.length === 0,
    inspect: ({ extra: { gatesUnread = [] } }) =>
      gatesUnread.flatMap(({ source, place, why }) =>
        foundAt(
          'CCM1406',
          UNREAD[source].subject(place),
          `${why}; read for ${UNREAD[source].field}`,
        ),
      ),
  },
  {
    ...checkOf(
      'the probe can be made',
      'CCM1407',
      'Service ccm-migrate-probe/balancer',
      ({ extra }) => extra.probeRefused ?? null,
    ),
    isSeen: ({ extra, policy }) => policy.probes !== undefined && extra.probeRefused !== undefined,
  },
];

/** How each source of gates is named, and the field of the policy that wants it read. */
const UNREAD: Readonly<Record<UnreadSource['source'], UnreadName>> = {
  pages: { subject: (place) => `metrics of ${place}`, field: 'gates.metrics.catalogue: nodes' },
  objects: { subject: (place) => place, field: 'gates.metrics.objects: watch' },
  own: { subject: (place) => `gate ${place}`, field: 'gates.metrics.own' },
  cloud: { subject: (place) => place, field: 'cloudApi of the inventory' },
};

interface UnreadName {
  readonly subject: (place: string) => string;
  readonly field: string;
}

/** CCM15xx: everything else in the cluster. */
export const CLUSTER_CHECKS: readonly Check[] = [
  checkOf('no in-tree volumes', 'CCM1501', 'PersistentVolumes', ({ observation }) => {
    const { inTree } = observation.inventory.persistentVolumes;
    return inTree === 0 ? null : `${inTree} in-tree`;
  }),
  checkOf('no load balancer waits', 'CCM1502', 'Services', ({ observation: { inventory } }) => {
    const { pending, loadBalancers } = inventory.services;
    const named = about(inventory.exceptions, 'Service ');
    return pending === 0 ? null : [`${pending} of ${loadBalancers} wait`, ...named].join('; ');
  }),
  checkOf('etcd allows replacing', 'CCM1503', 'etcd', ({ observation, policy }) =>
    replaces(policy) ? etcdFault(observation) : null,
  ),
  {
    ...checkOf(
      'kubeadm follows',
      'CCM1504',
      'ConfigMap kube-system/kubeadm-config',
      ({ observation: { kubeadm } }) =>
        kubeadm.configMap === 'present' && kubeadm.followsManifests === 'no'
          ? 'controllerManager differs from the manifests'
          : null,
    ),
    isSeen: ({ observation: { kubeadm } }) => kubeadm.configMap !== 'unknown',
  },
  {
    ...checkOf('one owner now', 'CCM1505', 'cloud controllers', (input) => {
      const owner = ownerIn(input);
      return owner === 'both' || owner === 'none' ? `owner ${owner}` : null;
    }),
    isSeen: (input) => ownerIn(input) !== 'unknown',
  },
  checkOf('one KCM owns', 'CCM2018', 'cloud controllers', ({ observation, policy }) => {
    const kcms = severalKcms(observation, policy);
    return kcms.length === 0 ? null : kcms.join('; ');
  }),
  {
    name: 'no source machine comes back',
    codes: ['CCM2012'],
    inspect: ({ policy: { nodes, autoRepair } }) =>
      nodes.forward === 'replace' && autoRepair === 'unknown'
        ? found('CCM2012', {
            subject: 'policy.machines.autoRepair',
            seen: 'unknown; until it is frozen, apply refuses to replace machines',
            severity: 'warning',
          })
        : NO_FINDINGS,
  },
  {
    name: 'every Lease has a known holder',
    codes: ['CCM1507'],
    inspect: ({ observation }) =>
      heldByStrangers(observation).flatMap((lease) =>
        foundAt('CCM1507', lease.name, holderText(lease)),
      ),
  },
  {
    name: 'the control plane is seen',
    codes: ['CCM1508'],
    inspect: ({ observation: { nodes, cluster } }) =>
      foundAt('CCM1508', cluster.name, nodes.length === 0 ? 'no control-plane Node' : null),
  },
  {
    name: 'managers run',
    codes: ['CCM1506'],
    inspect: ({ observation: { nodes } }) =>
      nodes.flatMap(({ name, kcm, ccm }) =>
        [...kcm.processes, ...ccm.processes].flatMap(({ pid, liveness, config }) =>
          liveness === 'paused' || liveness === 'crashLooping'
            ? found('CCM1506', {
                subject: `node ${name}`,
                seen: `${config.manager} process ${pid} is ${liveness}`,
              })
            : [],
        ),
      ),
  },
];

/** A static pod is already bound to its node; a workload's pod must be allowed there and need no pod network. */
function missingForStart({ kind, hostNetwork, tolerations }: ManagerManifest): readonly string[] {
  const tolerates = (taint: string): boolean =>
    kind === 'Pod' ||
    tolerations.some(
      ({ key, operator, effect }) =>
        (key === taint || (key === '' && operator === 'Exists')) &&
        (effect === '' || effect === 'NoSchedule'),
    );
  return [
    ...(hostNetwork ? [] : ['hostNetwork']),
    ...[UNINITIALIZED, CONTROL_PLANE]
      .filter((taint) => !tolerates(taint))
      .map((taint) => `a toleration of ${taint}`),
  ];
}

/** `word` before the names; null where there are none. */
function listed(word: string, names: readonly string[]): string | null {
  return names.length === 0 ? null : `${word} ${names.join(', ')}`;
}

function ownerIn({ observation, policy }: PreflightInput): Owner {
  return clusterOwner(observation, policy.lock.controllers);
}

function replaces({ nodes }: MigrationPolicy): boolean {
  return nodes.forward === 'replace' || nodes.rollback === 'replace';
}

function etcdFault(observation: ClusterObservation): string | null {
  const { topology } = observation.etcd;
  if (topology === 'external') return null;
  if (topology === 'unknown') return 'topology unknown';
  const bad = countedMembers(observation).filter(
    ({ voter, healthy }) => voter !== 'yes' || healthy !== 'yes',
  );
  return bad.length === 0 ? null : `${bad.map(({ name }) => name).join(', ')} not a healthy voter`;
}
