import type { LeaseObservation } from '../domain/observation/observation.js';
import type { LeaseRef } from '../domain/vocabulary.js';
import { sameLease } from '../domain/vocabulary.js';
import { RELEASE_NOTE } from './object-digest.js';
import type { ApiObject } from './ports.js';
import type { LeaseFirstSeen } from '../domain/run/results.js';

/** coordination.k8s.io/v1 Lease, in the fields we read. Times are RFC 3339 with microseconds. */
export interface LeaseObject extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number | null;
    readonly acquireTime?: string | null;
    readonly renewTime?: string | null;
    readonly leaseTransitions?: number | null;
  };
}

/** One Lease as read. `acquiredAtMs` is on the clock of the node that wrote it. */
export interface LeaseReading extends LeaseRef {
  readonly resourceVersion: string;
  readonly holder: string;
  readonly leaseDurationSeconds: number;
  readonly transitions: number;
  readonly acquiredAtMs: number | null;
  /** Note of the last release of ours; empty when there was none. */
  readonly released: string;
}

/** client-go's default, used where a record names none. Source: component-base config/v1alpha1/defaults.go */
const DEFAULT_LEASE_SECONDS = 15;

// eslint-disable-next-line complexity -- a flat list of defaults for absent fields; nothing is decided here
export function readLease(object: LeaseObject): LeaseReading {
  const acquired = Date.parse(object.spec?.acquireTime ?? '');
  return {
    namespace: object.metadata?.namespace ?? '',
    name: object.metadata?.name ?? '',
    resourceVersion: object.metadata?.resourceVersion ?? '',
    holder: object.spec?.holderIdentity ?? '',
    leaseDurationSeconds: object.spec?.leaseDurationSeconds ?? DEFAULT_LEASE_SECONDS,
    transitions: object.spec?.leaseTransitions ?? 0,
    acquiredAtMs: Number.isNaN(acquired) ? null : acquired,
    released: object.metadata?.annotations?.[RELEASE_NOTE] ?? '',
  };
}

/**
 * Records when each version was first seen. Keeps the newest two versions of a Lease, oldest first: two versions prove that
 * it is being written, one unchanged for a lease duration proves silence.
 */
export function recordFirstSeen(
  readings: readonly LeaseReading[],
  before: readonly LeaseFirstSeen[],
  nowMs: number,
): readonly LeaseFirstSeen[] {
  return readings.flatMap((lease) => {
    const known = before.filter((firstSeenLease) => sameLease(firstSeenLease, lease)).slice(-2);
    const newest = known.at(-1);
    if (newest?.resourceVersion === lease.resourceVersion) return known;
    const { namespace, name, resourceVersion } = lease;
    const firstSeenLease = { namespace, name, resourceVersion, firstSeenAtMs: nowMs };
    return newest === undefined ? [firstSeenLease] : [newest, firstSeenLease];
  });
}

/**
 * Freshness on our own clock: a candidate may take a Lease over when its record did not change for the
 * lease duration in it, counted from the candidate's first sight (client-go leaderelection.go).
 */
export function freshnessOf(
  lease: LeaseReading,
  firstSeen: readonly LeaseFirstSeen[],
  nowMs: number,
): LeaseObservation['freshness'] {
  const seen = firstSeen.filter((firstSeenLease) => sameLease(firstSeenLease, lease));
  const newest = seen.at(-1);
  if (newest === undefined) return { kind: 'seenOnce' };
  const unchangedMs = nowMs - newest.firstSeenAtMs;
  if (unchangedMs >= lease.leaseDurationSeconds * 1000) {
    return { kind: 'silent', sinceMs: newest.firstSeenAtMs };
  }
  return seen.length > 1 ? { kind: 'advancing' } : { kind: 'seenOnce' };
}

/** The part of a holder identity before its UUID: the hostname that the process saw (client-go: `<hostname>_<uuid>`). */
export function hostnameOf(holder: string): string {
  const cut = holder.lastIndexOf('_');
  return cut < 0 ? holder : holder.slice(0, cut);
}
