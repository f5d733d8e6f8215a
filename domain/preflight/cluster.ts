import { apiReferences } from '../manifests/api-references.js';
import type { ManagerManifest } from '../manifests/manifest.js';
import { readManagerManifest } from '../manifests/manifest.js';
import type { EtcdObservation } from '../observation/observation.js';
import { severalKcms } from '../ownership/cluster-facts.js';
import { clusterOwner, heldByStrangers, holderText } from '../ownership/owners.js';
import type { MigrationPolicy } from '../policy.js';
import { MANAGERS } from '../vocabulary.js';
import { problemLine } from '../yaml/fields.js';
import type { Check } from './check.js';
import { NO_FINDINGS, found } from './check.js';
import { about } from './nodes.js';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

/** CCM14xx: access and workloads. */
export const ACCESS_CHECKS: readonly Check[] = [
  {
    name: 'the grant works',
    codes: ['CCM1401'],
    inspect: ({ observation: { access } }) => {
      const refused = MANAGERS.filter((manager) => access.mayUseMigrationLease[manager] === 'no');
      return access.leaseGrant === 'present' && refused.length > 0
        ? found('CCM1401', { subject: 'migration Lease', seen: `refused: ${refused.join(', ')}` })
        : NO_FINDINGS;
    },
  },
  {
    name: 'the CCM has all rights',
    codes: ['CCM1402'],
    isSeen: ({ extra }) => extra.ccmDenied !== undefined,
    inspect: ({ extra: { ccmDenied = [] } }) =>
      ccmDenied.length === 0
        ? NO_FINDINGS
        : found('CCM1402', { subject: 'cloud-controller-manager', seen: ccmDenied.join(', ') }),
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
        ...(missing.length === 0
          ? NO_FINDINGS
          : found('CCM1403', { subject, seen: `without ${missing.join(', ')}` })),
        ...(refers.length === 0
          ? NO_FINDINGS
          : found('CCM1403', {
              subject,
              seen: `a static pod that refers to ${refers.join(', ')}`,
            })),
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
        found('CCM1405', { subject: `Role ${role}`, seen: 'create bound to the migration Lease' }),
      ),
  },
];

/** CCM15xx: everything else in the cluster. */
export const CLUSTER_CHECKS: readonly Check[] = [
  {
    name: 'no in-tree volumes',
    codes: ['CCM1501'],
    inspect: ({ observation: { inventory } }) =>
      inventory.persistentVolumes.inTree === 0
        ? NO_FINDINGS
        : found('CCM1501', {
            subject: 'PersistentVolumes',
            seen: `${inventory.persistentVolumes.inTree} in-tree`,
          }),
  },
  {
    name: 'no load balancer waits',
    codes: ['CCM1502'],
    inspect: ({ observation: { inventory } }) =>
      inventory.services.pending === 0
        ? NO_FINDINGS
        : found('CCM1502', {
            subject: 'Services',
            seen: [
              `${inventory.services.pending} of ${inventory.services.loadBalancers} wait`,
              ...about(inventory.exceptions, 'Service '),
            ].join('; '),
          }),
  },
  {
    name: 'etcd allows replacing',
    codes: ['CCM1503'],
    inspect: ({ observation: { etcd }, policy }) => {
      const seen = replaces(policy) ? etcdFault(etcd) : null;
      return seen === null ? NO_FINDINGS : found('CCM1503', { subject: 'etcd', seen });
    },
  },
  {
    name: 'kubeadm follows',
    codes: ['CCM1504'],
    isSeen: ({ observation: { kubeadm } }) => kubeadm.configMap !== 'unknown',
    inspect: ({ observation: { kubeadm } }) =>
      kubeadm.configMap === 'present' && kubeadm.followsManifests === 'no'
        ? found('CCM1504', {
            subject: 'ConfigMap kube-system/kubeadm-config',
            seen: 'controllerManager differs from the manifests',
          })
        : NO_FINDINGS,
  },
  {
    name: 'one owner now',
    codes: ['CCM1505'],
    isSeen: ({ observation, policy }) =>
      clusterOwner(observation, policy.lock.controllers) !== 'unknown',
    inspect: ({ observation, policy }) => {
      const owner = clusterOwner(observation, policy.lock.controllers);
      return owner === 'both' || owner === 'none'
        ? found('CCM1505', { subject: 'cloud controllers', seen: `owner ${owner}` })
        : NO_FINDINGS;
    },
  },
  {
    name: 'one KCM owns',
    codes: ['CCM2018'],
    inspect: ({ observation, policy }) =>
      severalKcms(observation, policy).length === 0
        ? NO_FINDINGS
        : found('CCM2018', {
            subject: 'cloud controllers',
            seen: severalKcms(observation, policy).join('; '),
          }),
  },
  {
    name: 'no source machine comes back',
    codes: ['CCM2012'],
    inspect: ({ policy: { nodes, autoRepair } }) =>
      nodes.forward === 'replace' && autoRepair === 'unknown'
        ? found('CCM2012', {
            subject: 'policy.machines.autoRepair',
            seen: 'unknown; the run holds before the first machine',
            severity: 'warning',
          })
        : NO_FINDINGS,
  },
  {
    name: 'every Lease has a known holder',
    codes: ['CCM1507'],
    inspect: ({ observation }) =>
      heldByStrangers(observation).flatMap((lease) =>
        found('CCM1507', { subject: lease.name, seen: holderText(lease) }),
      ),
  },
  {
    name: 'the control plane is seen',
    codes: ['CCM1508'],
    inspect: ({ observation: { nodes, cluster } }) =>
      nodes.length === 0
        ? found('CCM1508', { subject: cluster.name, seen: 'no control-plane Node' })
        : NO_FINDINGS,
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

function replaces({ nodes }: MigrationPolicy): boolean {
  return nodes.forward === 'replace' || nodes.rollback === 'replace';
}

function etcdFault({ topology, members }: EtcdObservation): string | null {
  if (topology === 'external') return null;
  if (topology === 'unknown') return 'topology unknown';
  const bad = members.filter(({ voter, healthy }) => voter !== 'yes' || healthy !== 'yes');
  return bad.length === 0 ? null : `${bad.map(({ name }) => name).join(', ')} not a healthy voter`;
}
