import type { LockRole } from '../../domain/observation.js';

/** Result of reading one process's `/metrics`: text, null when nothing listened, `unreadable` when the read failed. */
export type MetricsReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * Role in an election from `leader_election_master_status{name}`: 1 held, 0 waiting, no series not tried yet.
 * An exposition without any leader election series comes from a build that does not register them (OpenStack's
 * CCM does not import the client-go metrics package), so it proves nothing.
 * Source: component-base metrics/prometheus/clientgo/leaderelection/metrics.go
 */
export function lockRole(metrics: MetricsReading, lease: string): LockRole {
  if (metrics.kind !== 'text') return 'unknown';
  const series = masterStatus(metrics.text);
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
