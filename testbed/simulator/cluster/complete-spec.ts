import type { ClusterSpec, CompleteSpec, NodePlan } from './cluster-spec.js';
import { presetPlans } from './presets.js';

/** Applies every default. */
export function completeSpec(spec: ClusterSpec): CompleteSpec {
  const version = spec.version ?? '1.30.14';
  const kubelet = spec.kubelet ?? 'inTree';
  const cloudProvider = spec.cloudProvider ?? 'labcloud';
  const plans =
    spec.plans ??
    presetPlans(spec.preset ?? 'in-tree', {
      nodes: spec.nodes ?? 3,
      version,
      cloudProvider,
      kubelet,
    });
  return {
    seed: spec.id,
    apiServerVersion: version,
    etcd: 'external',
    etcdMemberRemoval: 'machinesApi',
    sharedApiAddress: true,
    hostnames: 'same',
    leaseGrant: plans.some(usesMigration),
    ccmAccess: plans.some((plan) => plan.ccm !== null),
    workers: 0,
    loadBalancers: 0,
    brokenMachines: [],
    ...spec,
    ...{ version, kubelet, cloudProvider, plans, nodes: plans.length },
  };
}

function usesMigration({ kcm, ccm }: NodePlan): boolean {
  return [kcm, ccm].some((plan) => plan !== null && plan.migration !== 'off');
}
