import type { CcmRule } from '../policy.js';
import { minorOf } from '../managers/minors.js';

/** What the CCM of one provider requests from the API server beyond what every CCM does. */
export interface ProviderAccess {
  /** The provider's name in `--cloud-provider` of the KCM that it takes over from. */
  readonly provider: string;
  /** CCM minors this applies to: first inclusive, last exclusive; omitted means unbounded. */
  readonly from?: number;
  readonly below?: number;
  readonly rules: readonly CcmRule[];
  readonly why: string;
  readonly source: string;
}

const READ = ['get', 'list', 'watch'];
const SYSTEM = 'kube-system';

/**
 * CCMs whose source was read for every request beyond k8s.io/cloud-provider's own. Upstream's roles are wider: rights that
 * their code no longer uses are left out (endpoints of the old election lock, persistentvolumes of the old label controller).
 */
export const PROVIDER_ACCESS: readonly ProviderAccess[] = [
  {
    provider: 'aws',
    rules: [],
    why: 'nothing: Nodes and Events, which every CCM has',
    source:
      'kubernetes/cloud-provider-aws v1.36.1 charts/aws-cloud-controller-manager/values.yaml, pkg/providers/v1/aws.go Initialize and SetInformers',
  },
  {
    provider: 'azure',
    rules: [
      core('secrets', ['get'], { namespace: SYSTEM, resourceNames: ['azure-cloud-provider'] }),
      {
        ...{ namespace: null, apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'] },
        ...{ resourceNames: [], verbs: READ },
      },
    ],
    why: 'its configuration may be in that Secret; EndpointSlices decide the backends of local Services',
    source:
      'kubernetes-sigs/cloud-provider-azure v1.30.0 helm/cloud-provider-azure/templates/cloud-provider-azure.yaml, pkg/azclient/configloader/loader_secret.go, pkg/provider/azure_local_services.go',
  },
  {
    provider: 'gce',
    rules: [
      core('configmaps', READ, { namespace: SYSTEM, resourceNames: ['ingress-uid'] }),
      core('configmaps', ['create'], { namespace: SYSTEM }),
      {
        ...{ namespace: null, apiGroups: ['networking.gke.io'], resourceNames: [], verbs: READ },
        resources: ['gkenetworkparamsets', 'networks'],
      },
    ],
    why: 'the cluster id in the names of load balancers; networks of its own node IPAM',
    source:
      'kubernetes/cloud-provider-gcp v30.1.4 deploy/packages/default/manifest.yaml, providers/gce/gce_clusterid.go, cmd/cloud-controller-manager/nodeipamcontroller.go',
  },
  {
    provider: 'openstack',
    rules: [],
    why: 'nothing: the kubelet mounts its Secret; Nodes, Services and Events every CCM has',
    source:
      'kubernetes/cloud-provider-openstack v1.36.0 manifests/controller-manager/cloud-controller-manager-roles.yaml, pkg/openstack/openstack.go Initialize and SetInformers',
  },
  {
    provider: 'vsphere',
    below: 32,
    rules: [core('secrets', READ)],
    why: 'vCenter credentials: these builds list the Secrets of all namespaces, and have no cloud access without them',
    source:
      'kubernetes/cloud-provider-vsphere v1.30.1 releases/v1.30/vsphere-cloud-controller-manager.yaml, pkg/common/kubernetes/informers.go',
  },
  {
    provider: 'vsphere',
    from: 32,
    rules: [core('secrets', READ, { namespace: SYSTEM })],
    why: 'vCenter credentials: these builds list every Secret in secretNamespace, so the rule cannot name a single one',
    source:
      'kubernetes/cloud-provider-vsphere v1.32.1 charts/vsphere-cpi/templates/role.yaml, pkg/common/kubernetes/informers.go',
  },
];

function core(
  resource: string,
  verbs: readonly string[],
  { namespace = null, resourceNames = [] }: Partial<CcmRule> = {},
): CcmRule {
  return { namespace, apiGroups: [''], resources: [resource], resourceNames, verbs };
}

/**
 * What the CCM of this provider and version needs in addition; nothing is known about providers missing from the table.
 */
export function providerRules(provider: string, ccmVersion: string): readonly CcmRule[] {
  // An unreadable version counts as the oldest: it gets what the oldest builds need.
  const minor = minorOf(ccmVersion) ?? 0;
  return PROVIDER_ACCESS.filter(
    (row) =>
      row.provider === provider && minor >= (row.from ?? 0) && minor < (row.below ?? Infinity),
  ).flatMap(({ rules }) => rules);
}
