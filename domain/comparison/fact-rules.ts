/** Whether a change of a fact needs no further explanation: it is what a migration brings, or no loss. */
export type Explained = 'expected' | 'unexplained';

export interface FactRule {
  readonly gained: Explained;
  readonly changed: Explained;
  readonly lost: Explained;
  /** What justifies the `expected`, and where the fact is written. */
  readonly source: string;
}

/** What a new owner fills in where nothing was; what was there must stay. */
const FILLED_IN = { gained: 'expected', changed: 'unexplained', lost: 'unexplained' } as const;
/** Must not appear; that one disappears is what people wait for. */
const UNWANTED = { gained: 'unexplained', changed: 'unexplained', lost: 'expected' } as const;

/** All facts that are compared, by kind, and which of their changes are expected. */
export const FACT_RULES = {
  finalizer: {
    ...{ gained: 'unexplained', changed: 'unexplained', lost: 'unexplained' },
    source:
      'both managers use service.kubernetes.io/load-balancer-cleanup: k8s.io/cloud-provider service/helpers/helper.go v0.30',
  },
  annotation: {
    ...FILLED_IN,
    source:
      'external owners note what they found, for example loadbalancer.openstack.org/load-balancer-id: cloud-provider-openstack pkg/openstack/loadbalancer.go v1.30',
  },
  providerID: {
    ...FILLED_IN,
    source:
      'set where it is empty: k8s.io/cloud-provider controllers/node/node_controller.go v0.30',
  },
  address: {
    ...FILLED_IN,
    source:
      'the CCM writes those of the cloud, and keeps the Hostname: k8s.io/cloud-provider controllers/node/node_controller.go v0.30',
  },
  label: {
    ...FILLED_IN,
    source:
      'zone, region and instance type: k8s.io/cloud-provider controllers/node/node_controller.go v0.30',
  },
  taint: {
    ...UNWANTED,
    source:
      'shutdown: k8s.io/cloud-provider controllers/nodelifecycle v0.30; network-unavailable: controllers/route',
  },
  podCIDR: {
    ...FILLED_IN,
    source:
      'the API server forbids to change one: kubernetes/kubernetes pkg/apis/core/validation v1.30',
  },
  phase: {
    ...UNWANTED,
    source: 'Failed of a PersistentVolume: kubernetes/api core/v1 types.go v0.30',
  },
} as const satisfies Record<string, FactRule>;

export type FactKind = keyof typeof FACT_RULES;

/**
 * Labels of Nodes and volumes that follow the cloud's zones and machine types.
 * Source: kubernetes/api core/v1 well_known_labels.go v0.30.
 */
export const CLOUD_LABELS: readonly string[] = [
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
];

/**
 * Taints that cloud controllers answer for; others belong to users, autoscalers and the kubelet.
 * Source: k8s.io/cloud-provider api/well_known_taints.go v0.30; kubernetes/api core/v1 well_known_taints.go v0.30.
 */
export const CLOUD_TAINTS: readonly string[] = [
  'node.cloudprovider.kubernetes.io/uninitialized',
  'node.cloudprovider.kubernetes.io/shutdown',
  'node.kubernetes.io/network-unavailable',
];

/** Owners of annotations that deployments rewrite at any time: domains, with those below them. */
export const DEPLOYMENT_DOMAINS: readonly string[] = [
  'kubectl.kubernetes.io',
  'helm.sh',
  'argoproj.io',
  'fluxcd.io',
  'cattle.io',
];
