import { inTreeManifests } from '../facts/in-tree-manifests.js';
import type { ClusterObservation } from '../observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { StepEffect } from '../step.js';

/** Access after the change: a grant gives both managers the right, its removal takes it from both. */
export function applyAccess(
  observation: ClusterObservation,
  { access, want }: Extract<StepEffect, { kind: 'setAccess' }>,
  policy: MigrationPolicy,
): ClusterObservation {
  const before = observation.access;
  if (access === 'ccmAccess') {
    const workload =
      want === 'present' && policy.ccm.deployAs === 'daemonSet'
        ? preparedWorkload(observation)
        : observation.ccmWorkload;
    return { ...observation, access: { ...before, ccmAccess: want }, ccmWorkload: workload };
  }
  const may = want === 'present' ? 'yes' : 'no';
  return {
    ...observation,
    access: { ...before, leaseGrant: want, mayUseMigrationLease: { kcm: may, ccm: may } },
  };
}

function preparedWorkload({ ccmWorkload }: ClusterObservation): ClusterObservation['ccmWorkload'] {
  if (ccmWorkload.source !== 'none') return ccmWorkload;
  return {
    source: 'daemonSet',
    owner: 'ours',
    name: 'cloud-controller-manager',
    template: ccmWorkload.template,
  };
}

/** The KCM of the first node whose manifest has loops, and how many nodes there are. */
export function recordedBaseline(observation: ClusterObservation): ClusterObservation {
  const [kcm] = inTreeManifests(observation);
  if (kcm === undefined) return observation;
  return {
    ...observation,
    baseline: { digest: '', kcm, controlPlaneNodes: observation.nodes.length },
  };
}
