import type { MigrationPolicy } from '../../domain/policy.js';
import { policyOf } from '../support/cluster-builder.js';

export const OLD = '1.30.14';

/** A policy for the simulator's clusters: same version on both sides, as managers may not be newer than API servers. */
export function simulatorPolicy(changes: Partial<MigrationPolicy> = {}): MigrationPolicy {
  const policy = policyOf();
  return {
    ...policy,
    source: {
      version: OLD,
      kcmImage: `registry.k8s.io/kube-controller-manager:v${OLD}`,
      cloudProvider: 'labcloud',
    },
    target: {
      version: OLD,
      kcmImage: `registry.k8s.io/kube-controller-manager:v${OLD}`,
      cloudProvider: 'external',
    },
    ccm: {
      ...policy.ccm,
      image: `registry.k8s.io/cloud-controller-manager:v${OLD}`,
      version: OLD,
    },
    ...changes,
  };
}
