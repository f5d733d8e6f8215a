import type { Finding, Severity } from '../../domain/findings/finding.js';

/** A finding, and the clusters that have it. */
export interface FoundAt {
  readonly finding: Finding;
  readonly clusters: readonly string[];
}

/** What was seen of one finding, word for word, and where. */
export interface Sighting {
  readonly subject: string;
  readonly seen: string;
  readonly clusters: readonly string[];
}

/** Findings that differ only in what was seen: their reason and their fix are the same. */
export interface FindingGroup {
  readonly code: string;
  readonly severity: Severity;
  readonly why: string;
  readonly fix: string;
  readonly source: string;
  /** In the order of the fleet. */
  readonly clusters: readonly string[];
  readonly seen: readonly Sighting[];
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** Each finding once, however many clusters have it: the most severe first, then those of most clusters. */
export function groupFindings(found: readonly FoundAt[]): readonly FindingGroup[] {
  const groups = new Map<string, FoundAt[]>();
  for (const each of found) {
    const { code, severity, why, fix } = each.finding;
    gather(groups, JSON.stringify([code, severity, why, fix]), each);
  }
  return [...groups.values()]
    .flatMap(groupOf)
    .sort(
      (a, b) =>
        RANK[a.severity] - RANK[b.severity] ||
        b.clusters.length - a.clusters.length ||
        a.code.localeCompare(b.code),
    );
}

function groupOf(same: readonly FoundAt[]): readonly FindingGroup[] {
  const [first] = same;
  if (first === undefined) return [];
  const { code, severity, why, fix, source } = first.finding;
  const sightings = new Map<string, FoundAt[]>();
  for (const each of same) {
    gather(sightings, JSON.stringify([each.finding.subject, each.finding.seen]), each);
  }
  const seen = [...sightings.values()].flatMap((equal) =>
    equal.slice(0, 1).map(({ finding }) => ({
      ...{ subject: finding.subject, seen: finding.seen },
      clusters: clustersOf(equal),
    })),
  );
  return [{ code, severity, why, fix, source, clusters: clustersOf(same), seen }];
}

function gather(groups: Map<string, FoundAt[]>, key: string, each: FoundAt): void {
  const known = groups.get(key);
  if (known === undefined) groups.set(key, [each]);
  else known.push(each);
}

function clustersOf(found: readonly FoundAt[]): readonly string[] {
  return [...new Set(found.flatMap(({ clusters }) => clusters))];
}
