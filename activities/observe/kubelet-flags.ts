import { parseArguments, textFlag } from '../../domain/managers/arguments.js';
import type { ControlPlaneNode, LockRole } from '../../domain/observation/observation.js';
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

/**
 * Role in an election from `leader_election_master_status{name}`: 1 held, 0 waiting, no series not tried yet. Without metrics
 * (null: nothing listens, or they could not be read) it is unknown.
 * An exposition without any leader election series comes from a build that does not register them (OpenStack's
 * CCM does not import the client-go metrics package), so it proves nothing.
 * Source: component-base metrics/prometheus/clientgo/leaderelection/metrics.go
 */
export function lockRole(metrics: string | null, lease: string): LockRole {
  if (metrics === null) return 'unknown';
  const series = masterStatus(metrics);
  if (series.size === 0) return 'unknown';
  const value = series.get(lease);
  if (value === undefined) return 'notTried';
  return value === 1 ? 'held' : 'waiting';
}

const SERIES = 'leader_election_master_status{';
/** Names of Leases have at most 253 characters. */
const LONGEST_LINE = 1024;
/** A manager takes part in two elections. */
const MOST_SERIES = 100;

/** Only lines with this prefix: a page has thousands of others, and any of them may be very long. */
function masterStatus(text: string): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (let at = nextSeries(text, 0); at >= 0; at = nextSeries(text, at + SERIES.length)) {
    const line = text.slice(at, at + LONGEST_LINE).split('\n', 1)[0] ?? '';
    const match = /^leader_election_master_status\{(?:[^}]*,)?name="([^"]*)"[^}]*\}\s+(\S+)/.exec(
      line,
    );
    if (match?.[1] !== undefined) series.set(match[1], Number(match[2]));
    if (series.size > MOST_SERIES) break;
  }
  return series;
}

/** Start of the next such line; negative when there is none. */
function nextSeries(text: string, from: number): number {
  if (from === 0 && text.startsWith(SERIES)) return 0;
  const before = text.indexOf(`\n${SERIES}`, Math.max(0, from - 1));
  return before < 0 ? -1 : before + 1;
}
