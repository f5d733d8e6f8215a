import type { ControlPlaneNode } from '../../domain/observation.js';
import type { FileReading } from './readings.js';

/**
 * The kubelet's `--cloud-provider` from kubeadm's flags file (`KUBELET_KUBEADM_ARGS="--flag=value …"`).
 * A file without the flag leaves the kubelet without a provider; no file tells nothing.
 */
export function kubeletCloudProvider(
  flags: FileReading | null,
): ControlPlaneNode['kubeletCloudProvider'] {
  if (flags?.kind !== 'text') return 'unknown';
  const value = CLOUD_PROVIDER.exec(flags.text)?.[1] ?? '';
  if (value === '') return 'none';
  return value === 'external' ? 'external' : 'inTree';
}

const CLOUD_PROVIDER = /--cloud-provider[= ]([^\s"']*)/;

/** The flags file with another provider; the flag is added where it is missing. Everything else stays. */
export function withCloudProvider(text: string, provider: string): string {
  if (CLOUD_PROVIDER.test(text))
    return text.replace(CLOUD_PROVIDER, `--cloud-provider=${provider}`);
  const flag = `--cloud-provider=${provider}`;
  if (!/^KUBELET_KUBEADM_ARGS="/m.test(text)) return `${text}KUBELET_KUBEADM_ARGS="${flag}"\n`;
  return text.replace(/^KUBELET_KUBEADM_ARGS="/m, `KUBELET_KUBEADM_ARGS="${flag} `);
}
