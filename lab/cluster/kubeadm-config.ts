import { CLOUD_PROVIDER, CLUSTER_NAME, NETWORKS } from './networks.js';
import { CLOUD_CONFIG } from './manifests.js';

/** kubeadm's ClusterConfiguration, which the next `kubeadm upgrade` renders manifests from. */
export function clusterConfiguration(version: string, server: string): string {
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
    '  external:',
    '    endpoints:',
    '    - http://127.0.0.1:2379',
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
