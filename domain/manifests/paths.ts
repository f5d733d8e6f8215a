import type { Manager } from '../vocabulary.js';

/** Folder on a control-plane node for the Leader Migration files, mounted into the pods file by file. */
export const LEADER_MIGRATION_FOLDER = '/etc/kubernetes/ccm-migrate';

/** Where a DaemonSet's ConfigMap is mounted inside the pod. */
export const CONFIG_MAP_FOLDER = '/etc/ccm-migrate';

/** Static pod manifests in the layout of kubeadm. */
export const MANIFEST_PATHS: Readonly<Record<Manager, string>> = {
  kcm: '/etc/kubernetes/manifests/kube-controller-manager.yaml',
  ccm: '/etc/kubernetes/manifests/cloud-controller-manager.yaml',
};

/** Name of the volume that holds our Leader Migration file, in every manifest we write. */
export const LEADER_MIGRATION_VOLUME = 'ccm-migrate-leader-migration';

/** The CCM workload and the label that lets it run on a node. */
export const CCM_NAME = 'cloud-controller-manager';
export const SYSTEM_NAMESPACE = 'kube-system';
export const RUN_CCM_LABEL = 'ccm-migrate.dev/run-ccm';
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY = 'ccm-migrate';
