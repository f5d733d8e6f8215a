import type { SimulatedCluster } from '../../testbed/simulator/model.js';
import type { Canary } from './canaries.js';
import { canary } from './canaries.js';

/** What operators keep on nodes, each with a value that must not leave them. */
export const PLANTED = {
  variable: canary('value of an environment variable of the KCM'),
  lowerCase: canary('value of a variable with a name like any other'),
  flow: canary('value of a variable written in flow style'),
  argument: canary('token among the arguments of the KCM'),
  url: canary('password in an address among the arguments'),
  cloudConfig: canary('cloud configuration on the node'),
  caKey: canary('private key beside the certificate authority'),
  adminConf: canary("administrator's kubeconfig on the node"),
  kubeletEnv: canary("kubelet's environment file"),
  strangerManifest: canary('static pod of another owner'),
} as const satisfies Readonly<Record<string, Canary>>;

const KCM = '/etc/kubernetes/manifests/kube-controller-manager.yaml';

/** Puts all of them on each node, before anything on it runs. */
export function plant(cluster: SimulatedCluster): void {
  for (const { files } of cluster.nodes()) {
    const file = (path: string): string => files.read(path)?.content ?? '';
    files.write(KCM, withSecrets(file(KCM)));
    files.write('/etc/kubernetes/cloud.json', `{"secret":"${PLANTED.cloudConfig.value}"}\n`);
    files.write('/etc/kubernetes/pki/ca.key', pem(PLANTED.caKey.value));
    files.write('/etc/kubernetes/admin.conf', `token: ${PLANTED.adminConf.value}\n`);
    files.write('/etc/default/kubelet', `CLOUD_PASSWORD=${PLANTED.kubeletEnv.value}\n`);
    files.write('/etc/kubernetes/manifests/stranger.yaml', stranger(PLANTED.strangerManifest));
  }
}

/** Secrets around the lines that steps edit, so that a diff with context comes near them. */
function withSecrets(manifest: string): string {
  const { variable, lowerCase, flow, argument, url } = PLANTED;
  const beside = [
    `        - --cloud-token=${argument.value}`,
    `        - --node-monitor-period=5s`,
    `        - --master=https://ops:${url.value}@api.lab.invalid:6443`,
  ].join('\n');
  const environment = [
    '      env:',
    '        - name: OS_PASSWORD',
    `          value: ${variable.value}`,
    `        - value: "${lowerCase.value}"`,
    '          name: region',
    `        - { name: project, value: ${flow.value} }`,
  ].join('\n');
  return manifest
    .replace(/^( +- --cluster-cidr)/m, `${beside}\n$1`)
    .replace(/^( +image: )/m, `${environment}\n$1`);
}

function stranger({ value }: Canary): string {
  return `apiVersion: v1\nkind: Pod\nmetadata: { name: stranger, namespace: kube-system }\nspec:\n  containers:\n    - name: stranger\n      image: stranger:1\n      command: [stranger, --password=${value}]\n`;
}

function pem(value: string): string {
  const body = Buffer.from(value).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
}

/** A manifest that cannot be parsed, with a secret where the parser stops. */
export function brokenManifest({ value }: Canary): string {
  return `apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: kube-controller-manager\n      env: [{ name: OS_PASSWORD, value: ${value}\n      - "${value}\n`;
}
