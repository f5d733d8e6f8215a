import { makeFinding } from '../findings/catalogue.js';
import type { ClusterFacts } from '../facts/cluster-facts.js';
import type { Finding } from '../finding.js';

/**
 * A manager may not be newer than any API server it can reach (version skew policy). Behind a shared
 * address that is the oldest of all; with its own API server on the node it is that one.
 */
export function skewFindings(
  { observation: { apiServers } }: ClusterFacts,
  version: string,
  subject: string,
): readonly Finding[] {
  const [oldest] = apiServers.versions;
  if (oldest === undefined) {
    return [makeFinding('CCM2011', { subject, seen: 'no API server version could be read' })];
  }
  if (apiServers.sharedAddress === 'no' || minorOf(version) <= minorOf(oldest)) return [];
  return [makeFinding('CCM2011', { subject, seen: `oldest API server is ${oldest}` })];
}

/** Minor of `1.30.14`; NaN never passes a comparison. */
function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? Number.NaN);
}
