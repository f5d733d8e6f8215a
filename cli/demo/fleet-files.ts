import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** As the simulator names its first cluster. */
export const DEMO_CLUSTER = 'sim-1';
export const SOURCE_VERSION = '1.29.15';
export const TARGET_VERSION = '1.30.14';

const image = (name: string, version: string): string => `registry.k8s.io/${name}:v${version}`;

const FLEET = `apiVersion: ccm-migrate.dev/v1alpha1
kind: FleetMigration
metadata:
  name: demo
spec:
  inventory: simulator
  policy: demo
  clusters:
    names: [${DEMO_CLUSTER}]
`;

const policy = (speed: number): string => `apiVersion: ccm-migrate.dev/v1alpha1
kind: MigrationPolicy
metadata:
  name: demo
spec:
  nodes:
    forward: replace
    rollback: inPlace
  source:
    version: ${SOURCE_VERSION}
    cloudProvider: labcloud
    kcmImage: ${image('kube-controller-manager', SOURCE_VERSION)}
  target:
    version: ${TARGET_VERSION}
    kcmImage: ${image('kube-controller-manager', TARGET_VERSION)}
  ccm:
    image: ${image('cloud-controller-manager', TARGET_VERSION)}
    version: ${TARGET_VERSION}
    manifest: cloud-controller-manager.yaml
    leaseTimings:
      retryPeriod: 1s
  leaderMigrationAfterRollback: keep
  soak: 5s
  timings:
    guard: ${String(Math.max(100, Math.round(500 / speed)))}ms
`;

/** The static pod that the policy names, as an operator of this provider would write it. */
const CCM = `apiVersion: v1
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
      image: ${image('cloud-controller-manager', TARGET_VERSION)}
      command:
        - cloud-controller-manager
        - --cloud-provider=labcloud
        - --cloud-config=/etc/kubernetes/cloud.json
        - --cluster-name=kubernetes
        - --cluster-cidr=10.244.0.0/14
        - --allocate-node-cidrs=true
        - --configure-cloud-routes=true
        - --bind-address=127.0.0.1
        - --leader-elect=true
        - --leader-elect-retry-period=1s
        - --kubeconfig=/etc/kubernetes/cloud-controller-manager.conf
        - --authentication-kubeconfig=/etc/kubernetes/cloud-controller-manager.conf
        - --authorization-kubeconfig=/etc/kubernetes/cloud-controller-manager.conf
      volumeMounts:
        - { name: k8s-certs, mountPath: /etc/kubernetes/pki, readOnly: true }
        - { name: kubeconfig, mountPath: /etc/kubernetes/cloud-controller-manager.conf, readOnly: true }
        - { name: cloud-config, mountPath: /etc/kubernetes/cloud.json, readOnly: true }
  volumes:
    - { name: k8s-certs, hostPath: { path: /etc/kubernetes/pki, type: DirectoryOrCreate } }
    - { name: kubeconfig, hostPath: { path: /etc/kubernetes/cloud-controller-manager.conf, type: FileOrCreate } }
    - { name: cloud-config, hostPath: { path: /etc/kubernetes/cloud.json, type: FileOrCreate } }
`;

/** Writes the demo's fleet as anyone would write theirs; the simulator writes the inventory. Answers the paths to lint. */
export async function writeFleet(
  folder: string,
  inventory: string,
  speed: number,
): Promise<readonly string[]> {
  const files = { 'fleet.yaml': FLEET, 'policy.yaml': policy(speed) };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await writeFile(join(folder, 'cloud-controller-manager.yaml'), CCM);
  return [...Object.keys(files).map((name) => join(folder, name)), inventory];
}
