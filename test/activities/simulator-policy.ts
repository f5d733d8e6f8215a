import type { MigrationPolicy } from '../../domain/policy.js';
import { policyOf } from '../support/cluster-builder.js';

export const OLD = '1.30.14';

/** A policy for the simulator's clusters: same version on both sides, as managers may not be newer than API servers. */
export function simulatorPolicy(changes: Partial<MigrationPolicy> = {}): MigrationPolicy {
  return { ...policyBetween(OLD, OLD), ...changes };
}

/** The same from one version to another; API servers need the second one. */
export function policyBetween(from: string, to: string): MigrationPolicy {
  const policy = policyOf();
  return {
    ...policy,
    source: {
      version: from,
      kcmImage: `registry.k8s.io/kube-controller-manager:v${from}`,
      cloudProvider: 'labcloud',
    },
    target: {
      version: to,
      kcmImage: `registry.k8s.io/kube-controller-manager:v${to}`,
      cloudProvider: 'external',
    },
    ccm: {
      ...policy.ccm,
      image: `registry.k8s.io/cloud-controller-manager:v${to}`,
      version: to,
    },
  };
}
