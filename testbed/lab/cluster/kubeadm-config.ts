import { CLUSTER_NAME } from '../../base/kubeadm-defaults.js';
import { CLOUD_PROVIDER, NETWORKS } from './networks.js';
import { ETCD_DATA, ETCD_EXTRA } from '../etcd/etcd-files.js';
import { CLOUD_CONFIG } from '../../base/kubeadm-defaults.js';

const EXTERNAL_ETCD = ['  external:', '    endpoints:', '    - http://127.0.0.1:2379'];

/**
 * kubeadm's ClusterConfiguration, from which the next `kubeadm upgrade` renders manifests. `etcdNames`: the names by
 * which the API server reaches the members of a stacked etcd; null for an external one.
 */
export function clusterConfiguration(
  version: string,
  server: string,
  etcdNames: readonly string[] | null = null,
): string {
  return [
    'apiServer: {}',
    'apiVersion: kubeadm.k8s.io/v1beta3',
    'certificatesDir: /etc/kubernetes/pki',
    `clusterName: ${CLUSTER_NAME}`,
    `controlPlaneEndpoint: ${new URL(server).host}`,
    'controllerManager:',
    '  extraArgs:',
    `    cloud-config: ${CLOUD_CONFIG}`,
    `    cloud-provider: ${CLOUD_PROVIDER}`,
    '    configure-cloud-routes: "true"',
    '  extraVolumes:',
    `  - hostPath: ${CLOUD_CONFIG}`,
    `    mountPath: ${CLOUD_CONFIG}`,
    '    name: cloud-config',
    '    pathType: File',
    '    readOnly: true',
    'etcd:',
    ...(etcdNames === null ? EXTERNAL_ETCD : stackedEtcd(etcdNames)),
    'imageRepository: registry.k8s.io',
    'kind: ClusterConfiguration',
    `kubernetesVersion: v${version}`,
    'networking:',
    '  dnsDomain: cluster.local',
    `  podSubnet: ${NETWORKS.pods}`,
    `  serviceSubnet: ${NETWORKS.services}`,
    'scheduler: {}',
    '',
  ].join('\n');
}

function stackedEtcd(names: readonly string[]): readonly string[] {
  return [
    '  local:',
    `    dataDir: ${ETCD_DATA}`,
    '    extraArgs:',
    ...Object.entries(ETCD_EXTRA).map(([flag, value]) => `      ${flag}: "${value}"`),
    '    serverCertSANs:',
    ...names.map((name) => `    - ${name}`),
  ];
}
