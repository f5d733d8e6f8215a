/** What differs between the CCMs of different clusters. */
export interface CcmChoice {
  readonly deployAs: 'staticPod' | 'daemonSet';
  readonly image: string;
  readonly clusterCidr: string;
  /** `https://host:port` of the API servers, for a pod that finds no Service network on its node. */
  readonly server: string;
}

/** The CCM as an operator of this provider would write it, from the names in the policy. */
export function ccmManifest(choice: CcmChoice): string {
  return choice.deployAs === 'staticPod' ? staticPod(choice) : daemonSet(choice);
}

const CLOUD_FLAGS = [
  '--cloud-provider=labcloud',
  '--cloud-config=/etc/kubernetes/cloud.json',
  '--cluster-name=kubernetes',
];

function commonFlags({ clusterCidr }: CcmChoice): readonly string[] {
  return [
    ...CLOUD_FLAGS,
    `--cluster-cidr=${clusterCidr}`,
    '--allocate-node-cidrs=true',
    '--configure-cloud-routes=true',
    '--bind-address=127.0.0.1',
    '--leader-elect=true',
    '--leader-elect-retry-period=1s',
  ];
}

function flagLines(flags: readonly string[], indent: string): string {
  return flags.map((flag) => `${indent}- ${flag}`).join('\n');
}

function staticPod(choice: CcmChoice): string {
  const kubeconfig = '/etc/kubernetes/cloud-controller-manager.conf';
  const flags = [
    ...commonFlags(choice),
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
  ];
  return `apiVersion: v1
kind: Pod
metadata:
  name: cloud-controller-manager
  namespace: kube-system
  labels:
    component: cloud-controller-manager
    tier: control-plane
spec:
  hostNetwork: true
  priorityClassName: system-node-critical
  containers:
    - name: cloud-controller-manager
      image: ${choice.image}
      command:
        - cloud-controller-manager
${flagLines(flags, '        ')}
      volumeMounts:
        - { name: k8s-certs, mountPath: /etc/kubernetes/pki, readOnly: true }
        - { name: kubeconfig, mountPath: ${kubeconfig}, readOnly: true }
        - { name: cloud-config, mountPath: /etc/kubernetes/cloud.json, readOnly: true }
  volumes:
    - { name: k8s-certs, hostPath: { path: /etc/kubernetes/pki, type: DirectoryOrCreate } }
    - { name: kubeconfig, hostPath: { path: ${kubeconfig}, type: FileOrCreate } }
    - { name: cloud-config, hostPath: { path: /etc/kubernetes/cloud.json, type: FileOrCreate } }
`;
}

/**
 * Runs as its ServiceAccount. It tolerates the taint that a new control-plane node has until a CCM has initialised it.
 */
function daemonSet(choice: CcmChoice): string {
  return `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: cloud-controller-manager
  namespace: kube-system
  labels:
    component: cloud-controller-manager
spec:
  selector:
    matchLabels:
      component: cloud-controller-manager
  template:
    metadata:
      labels:
        component: cloud-controller-manager
        tier: control-plane
${podOfDaemonSet(choice)}`;
}

function podOfDaemonSet(choice: CcmChoice): string {
  const { hostname, port } = new URL(choice.server);
  return `    spec:
      hostNetwork: true
      priorityClassName: system-node-critical
      serviceAccountName: cloud-controller-manager
      nodeSelector:
        node-role.kubernetes.io/control-plane: ""
      tolerations:
        - { key: node-role.kubernetes.io/control-plane, effect: NoSchedule }
        - { key: node.cloudprovider.kubernetes.io/uninitialized, value: "true", effect: NoSchedule }
        - { key: node.kubernetes.io/not-ready, effect: NoSchedule }
      containers:
        - name: cloud-controller-manager
          image: ${choice.image}
          command:
            - cloud-controller-manager
${flagLines(commonFlags(choice), '            ')}
          env:
            # No proxy of Services is needed to reach the API servers.
            - { name: KUBERNETES_SERVICE_HOST, value: "${hostname}" }
            - { name: KUBERNETES_SERVICE_PORT, value: "${port}" }
          volumeMounts:
            - { name: cloud-config, mountPath: /etc/kubernetes/cloud.json, readOnly: true }
      volumes:
        - { name: cloud-config, hostPath: { path: /etc/kubernetes/cloud.json, type: File } }
`;
}
