/** First and last Kubernetes minor whose names, files and flags were read at their release tags. */
const OLDEST_MINOR = 21;
const NEWEST_MINOR = 36;

/** Every supported minor of Kubernetes 1, oldest first. */
export const MINORS: readonly number[] = Array.from(
  { length: NEWEST_MINOR - OLDEST_MINOR + 1 },
  (_, index) => OLDEST_MINOR + index,
);

/**
 * Minor of a Kubernetes version (`1.30.14`, `v1.30.14-gke.1`, `1.30`), or of a k8s.io library version
 * (`0.30.14`), whose minor is the same by convention. Null when the text is not such a version.
 */
export function minorOf(version: string): number | null {
  const minor = /^v?[01]\.(\d{1,3})(?:[.+-]|$)/.exec(version)?.[1];
  return minor === undefined ? null : Number(minor);
}

export function isSupportedMinor(minor: number): boolean {
  return minor >= OLDEST_MINOR && minor <= NEWEST_MINOR;
}

/** -1, 0 or 1 by minor and then patch; an unreadable version counts as the oldest. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [ordinal(a), ordinal(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}

function ordinal(version: string): number {
  const minor = minorOf(version);
  if (minor === null) return -1;
  const patch = /^v?[01]\.\d+\.(\d+)/.exec(version)?.[1] ?? '0';
  return minor * 100_000 + Number(patch);
}
