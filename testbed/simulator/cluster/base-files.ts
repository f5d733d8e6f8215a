import type { Manager } from '../../../domain/vocabulary.js';
import { MANAGER_NAMES } from '../../base/manager-names.js';
import { CLOUD_CONFIG, CLUSTER_NAME, ETCD_MANIFEST } from '../../base/kubeadm-defaults.js';
import { componentManifest, managerManifest, argumentsOf } from './manifest-texts.js';
import { MIGRATION_FILES, migrationFile } from './migration-files.js';
import { CLUSTER_CIDR, type CompleteSpec, type NodePlan } from './cluster-spec.js';
import { AUTHORITY_FILE, KUBELET_FLAGS_FILE } from '../nodes/node-settings.js';
import type { KubeletCloudProvider } from '../kubelets/node-object.js';

type Files = Record<string, string>;

/** What every control-plane machine has before it gets manifests: PKI, kubeconfigs, API server. */
export function baseFiles(
  spec: CompleteSpec,
  node: { readonly name: string; readonly kubelet: KubeletCloudProvider },
  authorityPem: string,
): Files {
  const server = spec.sharedApiAddress
    ? 'https://api.lab.invalid:6443'
    : `https://${node.name}.lab.invalid:6443`;
  const files: Files = {
    '/etc/kubernetes/admin.conf': kubeconfig('kubernetes-admin', server),
    '/etc/kubernetes/kubelet.conf': kubeconfig(`system:node:${node.name}`, server),
    '/etc/kubernetes/controller-manager.conf': kubeconfig('system:kube-controller-manager', server),
    '/etc/kubernetes/cloud-controller-manager.conf': kubeconfig(
      'system:cloud-controller-manager',
      server,
    ),
    [CLOUD_CONFIG]: `${JSON.stringify({ cluster: spec.id })}\n`,
    [AUTHORITY_FILE]: authorityPem,
    '/etc/kubernetes/pki/front-proxy-ca.crt': pem('CERTIFICATE', `${spec.id}/front-proxy-ca`),
    '/etc/kubernetes/pki/sa.pub': pem('PUBLIC KEY', `${spec.id}/service-accounts`),
    [KUBELET_FLAGS_FILE]: kubeletFlags(node.kubelet, spec.cloudProvider),
    '/etc/kubernetes/manifests/kube-apiserver.yaml': componentManifest(
      'kube-apiserver',
      `registry.k8s.io/kube-apiserver:v${spec.apiServerVersion}`,
      ['--secure-port=6443', '--etcd-servers=https://127.0.0.1:2379'],
    ),
  };
  if (spec.etcd === 'stacked') {
    files[ETCD_MANIFEST] = componentManifest('etcd', 'registry.k8s.io/etcd:3.5.15-0', [
      `--name=${node.name}`,
    ]);
  }
  return files;
}

/** Leader Migration file and manifest of one manager on an initial node, in the order of writing. */
export function planFiles(
  node: NodePlan,
  manager: Manager,
): readonly (readonly [path: string, content: string])[] {
  const plan = node[manager];
  if (plan === null) return [];
  const migration = migrationFile(plan);
  return [
    ...(migration === null ? [] : [[MIGRATION_FILES[manager], migration] as const]),
    [`/etc/kubernetes/manifests/${MANAGER_NAMES[manager]}.yaml`, managerManifest(manager, plan)],
  ];
}

export function kubeletFlags(kubelet: KubeletCloudProvider, inTree: string): string {
  const value = kubelet === 'inTree' ? inTree : 'external';
  const flag = kubelet === 'none' ? '' : `--cloud-provider=${value} `;
  return `KUBELET_KUBEADM_ARGS="${flag}--container-runtime-endpoint=unix:///run/containerd/containerd.sock"\n`;
}

function kubeconfig(user: string, server: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    `clusters: [{ name: kubernetes, cluster: { server: "${server}" } }]`,
    `users: [{ name: "${user}", user: {} }]`,
    `contexts: [{ name: main, context: { cluster: kubernetes, user: "${user}" } }]`,
    'current-context: main',
    '',
  ].join('\n');
}

/** Placeholder for the cluster's authority until an API server is served under a real one. */
export function firstAuthority(id: string): string {
  return pem('CERTIFICATE', `${id}/ca`);
}

function pem(kind: string, content: string): string {
  return `-----BEGIN ${kind}-----\n${Buffer.from(content).toString('base64')}\n-----END ${kind}-----\n`;
}

/** kubeadm's ClusterConfiguration, limited to what the managers run with. */
export function kubeadmConfiguration(spec: CompleteSpec): string {
  const kcm = spec.plans[0]?.kcm ?? null;
  const stated =
    /^'?--(cloud-provider|cloud-config|cluster-name|configure-cloud-routes|enable-leader|leader-migr)/;
  const extra = kcm === null ? [] : argumentsOf('kcm', kcm).filter((each) => stated.test(each));
  return [
    'apiVersion: kubeadm.k8s.io/v1beta3',
    'kind: ClusterConfiguration',
    `clusterName: ${CLUSTER_NAME}`,
    `kubernetesVersion: v${spec.version}`,
    ...etcdLines(spec.etcd),
    'controllerManager:',
    '  extraArgs:',
    ...extra.map((each) => {
      const [flag = '', ...value] = each.replace(/^'?--|'$/g, '').split('=');
      return `    ${flag}: "${value.join('=')}"`;
    }),
    ...(kcm === null ? [] : extraVolumes(kcm.migration === 'off' ? [] : [MIGRATION_FILES.kcm])),
    'networking:',
    `  podSubnet: ${CLUSTER_CIDR}`,
    '  serviceSubnet: 10.96.0.0/12',
    '',
  ].join('\n');
}

function etcdLines(etcd: CompleteSpec['etcd']): readonly string[] {
  return etcd === 'stacked'
    ? ['etcd:', '  local:', '    dataDir: /var/lib/etcd']
    : ['etcd:', '  external:', '    endpoints: ["https://etcd.lab.invalid:2379"]'];
}

function extraVolumes(files: readonly string[]): readonly string[] {
  const volume = (name: string, path: string): string =>
    `    - { name: ${name}, hostPath: ${path}, mountPath: ${path}, readOnly: true }`;
  return [
    '  extraVolumes:',
    volume('cloud-config', CLOUD_CONFIG),
    ...files.map((path) => volume('leader-migration', path)),
  ];
}
