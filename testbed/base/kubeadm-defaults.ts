/** kubeadm's default, passed to both managers. */
export const CLUSTER_NAME = 'kubernetes';

/** Path of the cloud configuration that both managers mount. */
export const CLOUD_CONFIG = '/etc/kubernetes/cloud.json';

/** Manifest of a stacked etcd's member. */
export const ETCD_MANIFEST = '/etc/kubernetes/manifests/etcd.yaml';
