import type { KubeletCloudProvider } from '../kubelets/node-object.js';

/** Where kubeadm writes the kubelet's flags. */
export const KUBELET_FLAGS_FILE = '/var/lib/kubelet/kubeadm-flags.env';

/** Where kubeadm writes the cluster's authority on every machine. */
export const AUTHORITY_FILE = '/etc/kubernetes/pki/ca.crt';

/** The kubelet's `--cloud-provider`, as kubeadm sets it. */
export function cloudProviderOf(flags: string): KubeletCloudProvider {
  const value = valueOfCloudProvider(flags);
  if (value === '') return 'none';
  return value === 'external' ? 'external' : 'inTree';
}

export function valueOfCloudProvider(flags: string): string {
  return /--cloud-provider=([^\s"]*)/.exec(flags)?.[1] ?? '';
}

/** The pod network of the cluster's n-th node. */
export function podCidr(number: number): string {
  return `10.${String(244 + (number >> 8))}.${String(number & 255)}.0/24`;
}
