/** Numbers and names that are the same for all clusters of a lab; kubeadm's usual choices. */
export const NETWORKS = {
  pods: '10.244.0.0/16',
  services: '10.96.0.0/12',
} as const;

/** The provider that testbed/lab/go/labcloud registers. */
export const CLOUD_PROVIDER = 'labcloud';
