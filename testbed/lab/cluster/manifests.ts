import { CLOUD_CONFIG } from '../../base/kubeadm-defaults.js';
import { imageReference } from '../images/write-images.js';
import { CLUSTER_NAME } from '../../base/kubeadm-defaults.js';
import { CLOUD_PROVIDER, NETWORKS } from './networks.js';
import { staticPodManifest, type Mount, type Probe, type StaticPod } from './static-pod.js';

const PKI = '/etc/kubernetes/pki';

type Component = Omit<StaticPod, 'liveness' | 'startup'> & { readonly port: number };

/** Settings that operators change in a manager's manifest. */
export interface ManifestSettings {
  /** `external`, or a compiled-in provider. */
  readonly cloudProvider: string;
  /** Value of `--controllers`, whose occurrences add up; kubeadm's for a KCM, none for a CCM. */
  readonly controllers?: string;
  /** Appended: the last occurrence of a flag wins. */
  readonly more?: readonly string[];
  /** Single files of the node that the manager reads, mounted at the same path. */
  readonly files?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A KCM of a cluster with an in-tree cloud provider. */
export function inTreeKcmManifest(
  version: string,
  annotations: Readonly<Record<string, string>> = {},
): string {
  return kcmManifest(version, { cloudProvider: CLOUD_PROVIDER, annotations });
}

/**
 * A kube-controller-manager as kubeadm writes it (cmd/kubeadm/app/phases/controlplane/manifests.go, 1.29), with the
 * extra arguments of a cluster whose managers allocate pod networks and create routes.
 */
export function kcmManifest(version: string, settings: ManifestSettings): string {
  const kubeconfig = '/etc/kubernetes/controller-manager.conf';
  return manifest({
    name: 'kube-controller-manager',
    image: imageReference('kube-controller-manager', version),
    port: 10257,
    cpu: '200m',
    arguments: [
      ...[
        '--allocate-node-cidrs=true',
        ...commonArguments(kubeconfig, settings),
        `--client-ca-file=${PKI}/ca.crt`,
        `--cluster-signing-cert-file=${PKI}/ca.crt`,
        `--cluster-signing-key-file=${PKI}/ca.key`,
        `--controllers=${settings.controllers ?? '*,bootstrapsigner,tokencleaner'}`,
        `--requestheader-client-ca-file=${PKI}/front-proxy-ca.crt`,
        `--root-ca-file=${PKI}/ca.crt`,
        `--service-account-private-key-file=${PKI}/sa.key`,
        `--service-cluster-ip-range=${NETWORKS.services}`,
        '--use-service-account-credentials=true',
      ].toSorted(),
      ...(settings.more ?? []),
    ],
    mounts: mountsOf(kubeconfig, settings),
    annotations: settings.annotations ?? {},
  });
}

/** A cloud-controller-manager beside it as its vendor's users run it; settings on which both must agree are the same. */
export function ccmStaticPod(version: string, settings: ManifestSettings): string {
  const kubeconfig = '/etc/kubernetes/cloud-controller-manager.conf';
  return manifest({
    name: 'cloud-controller-manager',
    image: imageReference('cloud-controller-manager', version),
    port: 10258,
    cpu: '100m',
    arguments: [
      ...commonArguments(kubeconfig, settings),
      ...(settings.controllers === undefined ? [] : [`--controllers=${settings.controllers}`]),
      ...(settings.more ?? []),
    ],
    mounts: mountsOf(kubeconfig, settings),
    annotations: settings.annotations ?? {},
  });
}

function commonArguments(
  kubeconfig: string,
  { cloudProvider }: ManifestSettings,
): readonly string[] {
  return [
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    ...(cloudProvider === 'external' ? [] : [`--cloud-config=${CLOUD_CONFIG}`]),
    `--cloud-provider=${cloudProvider}`,
    `--cluster-cidr=${NETWORKS.pods}`,
    `--cluster-name=${CLUSTER_NAME}`,
    '--configure-cloud-routes=true',
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=true',
  ];
}

function mountsOf(kubeconfig: string, { files = [] }: ManifestSettings): readonly Mount[] {
  return [
    { name: 'ca-certs', path: '/etc/ssl/certs', type: 'DirectoryOrCreate' },
    { name: 'k8s-certs', path: PKI, type: 'DirectoryOrCreate' },
    { name: 'kubeconfig', path: kubeconfig, type: 'FileOrCreate' },
    { name: 'cloud-config', path: CLOUD_CONFIG, type: 'File' },
    ...files.map((path, index) => ({ name: `file-${index}`, path, type: 'File' as const })),
  ];
}

export function schedulerManifest(version: string): string {
  const kubeconfig = '/etc/kubernetes/scheduler.conf';
  return manifest({
    name: 'kube-scheduler',
    image: imageReference('kube-scheduler', version),
    port: 10259,
    cpu: '100m',
    arguments: [
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=true',
    ],
    mounts: [{ name: 'kubeconfig', path: kubeconfig, type: 'FileOrCreate' }],
  });
}

/** Managers and schedulers serve their health checks over TLS on the loopback. */
function manifest({ port, ...pod }: Component): string {
  const healthz: Probe = { path: '/healthz', port, scheme: 'HTTPS' };
  return staticPodManifest({ ...pod, liveness: healthz, startup: healthz });
}
