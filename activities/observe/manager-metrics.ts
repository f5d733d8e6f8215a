import type { LockRole } from '../../domain/observation.js';

/** What one process's `/metrics` said: text, null when nothing listened, `unreadable` when we could not ask. */
export type MetricsReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unreadable' };

/**
 * Role in an election from `leader_election_master_status{name}`: 1 held, 0 waiting, no series not tried yet.
 * An exposition without any leader election series comes from a build that does not register them (OpenStack's
 * CCM does not import the client-go metrics package), so it tells nothing.
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

function masterStatus(text: string): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^leader_election_master_status\{(?:[^}]*,)?name="([^"]*)"[^}]*\}\s+(\S+)/.exec(
      line,
    );
    if (match?.[1] !== undefined) series.set(match[1], Number(match[2]));
  }
  return series;
}
