import { parseArguments, textFlag } from '../../domain/managers/arguments.js';
import type { ControlPlaneNode } from '../../domain/observation/observation.js';
import type { KubeletProcess, NodeFile } from '../ports.js';

export type KubeletProvider = ControlPlaneNode['kubeletCloudProvider'];

/**
 * The provider that a node's kubelet runs with. A kubelet reads its flags once, at start, so its process counts and not the
 * file. Unknown unless exactly one process is found: otherwise the next one, or the one that counts, is unknown.
 */
export function runningProvider(kubelets: readonly KubeletProcess[]): KubeletProvider {
  const [only] = kubelets;
  return only === undefined || kubelets.length > 1 ? 'unknown' : providerNamed(providerFlag(only));
}

/** `--cloud-provider` of a running kubelet; the last one wins, and none is empty. */
export function providerFlag({ arguments: words }: KubeletProcess): string {
  return textFlag(parseArguments(words), 'cloud-provider') ?? '';
}

/**
 * The provider that a node's kubelet runs with and keeps after a restart. Where its flags file has another one, either the
 * kubelet was not yet restarted or the next restart reverts it: the outcome is open, so it is unknown.
 */
export function settledProvider(
  kubelets: readonly KubeletProcess[],
  flags: NodeFile | null,
): KubeletProvider {
  const running = runningProvider(kubelets);
  return flags === null || writtenProvider(flags.content) === running ? running : 'unknown';
}

/**
 * The provider that kubeadm's flags file gives (`KUBELET_KUBEADM_ARGS="--flag=value …"`); a file without the flag gives
 * none.
 */
export function writtenProvider(text: string): KubeletProvider {
  return providerNamed(writtenFlag(text));
}

/** Its `--cloud-provider` as written; empty without one. */
export function writtenFlag(text: string): string {
  return CLOUD_PROVIDER.exec(text)?.[1] ?? '';
}

function providerNamed(value: string): KubeletProvider {
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
