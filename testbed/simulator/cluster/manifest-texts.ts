import { CLOUD_CONFIG } from '../../base/kubeadm-defaults.js';
import type { Manager } from '../../../domain/vocabulary.js';
import { MANAGER_NAMES } from '../../base/manager-names.js';
import { CLUSTER_NAME } from '../../base/kubeadm-defaults.js';
import { CLUSTER_CIDR, type ManagerPlan } from './cluster-spec.js';
import { MIGRATION_FILES, migrationFile } from './migration-files.js';

const KUBECONFIGS: Readonly<Record<Manager, string>> = {
  kcm: '/etc/kubernetes/controller-manager.conf',
  ccm: '/etc/kubernetes/cloud-controller-manager.conf',
};
const PORTS: Readonly<Record<Manager, number>> = { kcm: 10257, ccm: 10258 };

/** A manager's static pod as kubeadm and its users write it, with comments. */
export function managerManifest(manager: Manager, plan: ManagerPlan): string {
  const name = MANAGER_NAMES[manager];
  const mounts = mountsOf(manager, plan);
  return [
    `# ${name}: written by kubeadm, then edited by hand. Keep the cloud settings in step with the kubelets.`,
    ...podUpToCommand(name, argumentsOf(manager, plan)),
    `      image: ${plan.image ?? `registry.k8s.io/${name}:v${plan.version}`}`,
    '      imagePullPolicy: IfNotPresent',
    ...probe(PORTS[manager]),
    `      name: ${name}`,
    '      volumeMounts:',
    ...mounts.map(([id, path]) => `        - { name: ${id}, mountPath: ${path}, readOnly: true }`),
    '  hostNetwork: true',
    '  priorityClassName: system-node-critical # never evicted',
    '  volumes:',
    ...mounts.map(
      ([id, path, type]) => `    - { name: ${id}, hostPath: { path: ${path}, type: ${type} } }`,
    ),
    '',
  ].join('\n');
}

export function argumentsOf(manager: Manager, plan: ManagerPlan): readonly string[] {
  const isCloud = plan.cloudProvider !== '' && plan.cloudProvider !== 'external';
  return [
    ...(manager === 'kcm' ? ['--allocate-node-cidrs=true'] : []),
    `--authentication-kubeconfig=${KUBECONFIGS[manager]}`,
    '--bind-address=127.0.0.1',
    ...(isCloud ? [`--cloud-config=${CLOUD_CONFIG}`] : []),
    ...(plan.cloudProvider === '' ? [] : [`--cloud-provider=${plan.cloudProvider}`]),
    `--cluster-cidr=${CLUSTER_CIDR}`,
    `--cluster-name=${CLUSTER_NAME}`,
    '--configure-cloud-routes=true',
    ...controllersArgument(manager, plan),
    ...migrationArguments(manager, plan),
    `--kubeconfig=${KUBECONFIGS[manager]}`,
    '--leader-elect=true',
    ...(manager === 'kcm' ? ['--use-service-account-credentials=true'] : []),
    ...(plan.extraArguments ?? []),
  ].map((argument) => (/[*,"]/.test(argument) ? `'${argument}'` : argument));
}

/** kubeadm's list for a KCM; a CCM has the flag only when an operator set it. */
function controllersArgument(manager: Manager, plan: ManagerPlan): readonly string[] {
  const kubeadms = manager === 'kcm' ? '*,bootstrapsigner,tokencleaner' : undefined;
  const list = plan.controllers ?? kubeadms;
  return list === undefined ? [] : [`--controllers=${list}`];
}

function migrationArguments(manager: Manager, plan: ManagerPlan): readonly string[] {
  if (plan.migration === 'off') return [];
  const file =
    migrationFile(plan) === null ? [] : [`--leader-migration-config=${MIGRATION_FILES[manager]}`];
  return ['--enable-leader-migration=true', ...file];
}

function mountsOf(
  manager: Manager,
  plan: ManagerPlan,
): readonly (readonly [string, string, string])[] {
  const hasFile = migrationFile(plan) !== null;
  return [
    ['k8s-certs', '/etc/kubernetes/pki', 'DirectoryOrCreate'],
    ['kubeconfig', KUBECONFIGS[manager], 'FileOrCreate'],
    ['cloud-config', CLOUD_CONFIG, 'FileOrCreate'],
    ...(hasFile ? [['leader-migration', MIGRATION_FILES[manager], 'File'] as const] : []),
  ];
}

function probe(port: number): readonly string[] {
  return [
    '      livenessProbe:',
    '        failureThreshold: 8',
    `        httpGet: { host: 127.0.0.1, path: /healthz, port: ${String(port)}, scheme: HTTPS }`,
    '        initialDelaySeconds: 10',
    '        periodSeconds: 10',
    '        timeoutSeconds: 15',
  ];
}

/** A component that is not simulated as a process: the API server or etcd of a node. */
export function componentManifest(name: string, image: string, args: readonly string[]): string {
  return [
    ...podUpToCommand(name, args),
    `      image: ${image}`,
    `      name: ${name}`,
    '  hostNetwork: true',
    '  priorityClassName: system-node-critical',
    '',
  ].join('\n');
}

/** The first lines of a static pod: everything before its image. */
function podUpToCommand(name: string, args: readonly string[]): readonly string[] {
  return [
    'apiVersion: v1',
    'kind: Pod',
    'metadata:',
    '  labels:',
    `    component: ${name}`,
    '    tier: control-plane',
    `  name: ${name}`,
    '  namespace: kube-system',
    'spec:',
    '  containers:',
    '    - command:',
    `        - ${name}`,
    ...args.map((each) => `        - ${each}`),
  ];
}
