import { CLOUD_CONFIG } from '../../base/kubeadm-defaults.js';
import { CLOUD_PROVIDER } from '../cluster/networks.js';
import { nodeUser, USERS, type ClusterPki } from '../cluster/pki.js';
import { PAUSE_IMAGE } from '../images/write-images.js';
import type { KubeletCloud, NodeSpec } from './node-spec.js';

type Files = Record<string, string>;

const KUBELET_FLAGS = '/var/lib/kubelet/kubeadm-flags.env';

/** How the node's controllers reach the cloud. */
export interface CloudAccount {
  readonly url: string;
  readonly token: string;
  readonly cluster: string;
}

export interface LabNodeContext {
  readonly address: string;
  readonly pki: ClusterPki;
  readonly account: CloudAccount;
}

/** Every file on a machine's disk before its kubelet starts, by absolute path. Files of the order take precedence. */
export function nodeFiles(spec: NodeSpec, context: LabNodeContext): Readonly<Files> {
  return {
    ...machineFiles(spec, context),
    ...kubeletFiles(spec, context),
    ...(spec.role === 'controlPlane' ? controlPlaneFiles(context) : {}),
    ...spec.files,
  };
}

function machineFiles(spec: NodeSpec, { address, account }: LabNodeContext): Files {
  return {
    '/etc/hostname': `${spec.hostname}\n`,
    '/etc/hosts': `127.0.0.1 localhost\n${address} ${spec.hostname} ${spec.name}\n`,
    '/etc/cni/net.d/10-lo.conflist': `${JSON.stringify({
      cniVersion: '0.4.0',
      name: 'lo',
      plugins: [{ type: 'loopback' }],
    })}\n`,
    '/etc/containerd/config.toml': CONTAINERD_CONFIG,
    [CLOUD_CONFIG]: `${JSON.stringify({ ...account, node: spec.name })}\n`,
  };
}

function kubeletFiles(spec: NodeSpec, { address, pki }: LabNodeContext): Files {
  return {
    '/etc/kubernetes/pki/ca.crt': pki.authority.certificatePem,
    '/etc/kubernetes/kubelet.conf': pki.kubeconfig(nodeUser(spec.name)),
    '/var/lib/kubelet/config.yaml': `${JSON.stringify(kubeletConfig(), null, 2)}\n`,
    [KUBELET_FLAGS]: kubeadmFlags(spec, address),
  };
}

/** kubeadm's files of a control-plane node; the API server's own keys are with the API server. */
function controlPlaneFiles({ pki }: LabNodeContext): Files {
  return {
    '/etc/kubernetes/admin.conf': pki.kubeconfig(USERS.admin),
    '/etc/kubernetes/controller-manager.conf': pki.kubeconfig(USERS.kcm),
    '/etc/kubernetes/cloud-controller-manager.conf': pki.kubeconfig(USERS.ccm),
    '/etc/kubernetes/scheduler.conf': pki.kubeconfig(USERS.scheduler),
    // The KCM signs certificates with it.
    '/etc/kubernetes/pki/ca.key': pki.authority.exportPrivateKey(),
    '/etc/kubernetes/pki/front-proxy-ca.crt': pki.frontProxy.certificatePem,
    '/etc/kubernetes/pki/sa.key': pki.serviceAccounts.privatePem,
    '/etc/kubernetes/pki/sa.pub': pki.serviceAccounts.publicPem,
  };
}

/** As kubeadm writes it; the kubelet reads it at each start. */
export function kubeadmFlags(
  spec: Pick<NodeSpec, 'name' | 'role' | 'kubeletCloud'>,
  address: string,
): string {
  const taint =
    spec.role === 'controlPlane'
      ? ['--register-with-taints=node-role.kubernetes.io/control-plane=:NoSchedule']
      : [];
  const flags = [
    ...cloudFlags(spec.kubeletCloud),
    '--container-runtime-endpoint=unix:///run/containerd/containerd.sock',
    `--hostname-override=${spec.name}`,
    `--node-ip=${address}`,
    `--pod-infra-container-image=${PAUSE_IMAGE}`,
    ...taint,
  ];
  return `KUBELET_KUBEADM_ARGS="${flags.join(' ')}"\n`;
}

function cloudFlags(cloud: KubeletCloud): readonly string[] {
  switch (cloud) {
    case 'inTree':
      return [`--cloud-config=${CLOUD_CONFIG}`, `--cloud-provider=${CLOUD_PROVIDER}`];
    case 'external':
      return ['--cloud-provider=external'];
    case 'none':
      return [];
  }
}

function kubeletConfig(): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
    },
    authorization: { mode: 'Webhook' },
    staticPodPath: '/etc/kubernetes/manifests',
    cgroupDriver: 'cgroupfs',
    // All nodes share one kernel: no QoS tree and no limits.
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    localStorageCapacityIsolation: false,
    // The disk is the machine's, shared by all nodes: a full one must not evict managers.
    evictionHard: {},
    imageGCHighThresholdPercent: 100,
    imageMinimumGCAge: '24h',
    resolvConf: '',
    volumePluginDir: '/var/lib/kubelet/volumeplugins',
  };
}

/** Settings that containerd 1.6 needs on a machine without AppArmor and with a shared kernel. */
const CONTAINERD_CONFIG = `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    conf_dir = "/etc/cni/net.d"
    bin_dir = "/usr/lib/cni"
`;
