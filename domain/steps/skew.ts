import { minorOf } from '../controllers/minors.js';
import type { ClusterFacts } from '../facts/cluster-facts.js';
import type { Finding } from '../finding.js';
import { makeFinding } from '../findings/catalogue.js';

/**
 * A manager must not be newer than any API server it can reach: of several, the oldest counts, even where each node reaches
 * its own, because it is unknown which version runs where. Machines that join bring their own API server.
 * Source: https://kubernetes.io/releases/version-skew-policy/
 */
export function skewFindings(
  { observation: { apiServers }, policy }: ClusterFacts,
  version: string,
  subject: string,
): readonly Finding[] {
  const [oldest] = apiServers.versions;
  if (oldest === undefined) {
    return [makeFinding('CCM2011', { subject, seen: 'no API server version could be read' })];
  }
  const bringsOwn = apiServers.sharedAddress === 'no' && policy.nodes.forward === 'replace';
  if (bringsOwn || minorsAhead(version, oldest) <= 0) return [];
  return [makeFinding('CCM2011', { subject, seen: `oldest API server is ${oldest}` })];
}

export function ccmSkew(facts: ClusterFacts): readonly Finding[] {
  const { version } = facts.policy.ccm;
  return skewFindings(facts, version, `CCM ${version}`);
}

/**
 * The KCM of a rollback must fit the current API servers: not newer than the oldest, and at most one minor older than the
 * newest. They are not rolled back with it, so an upgrade since the migration rules a rollback out.
 * Source:
 * https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager
 */
export function sourceKcmSkew({
  observation: { apiServers },
  policy: { source },
}: ClusterFacts): readonly Finding[] {
  const subject = `KCM ${source.version}`;
  const [oldest] = apiServers.versions;
  const newest = apiServers.versions.at(-1);
  if (oldest === undefined || newest === undefined) {
    return [makeFinding('CCM2011', { subject, seen: 'no API server version could be read' })];
  }
  if (!(minorsAhead(source.version, oldest) <= 0)) {
    return [makeFinding('CCM2011', { subject, seen: `oldest API server is ${oldest}` })];
  }
  if (minorsAhead(newest, source.version) <= 1) return [];
  const seen = `newest API server is ${newest}, and a KCM may be one minor older`;
  return [makeFinding('CCM2016', { subject, seen })];
}

/** How many minors `version` is above `than`; NaN, which passes no comparison, where one cannot be read. */
function minorsAhead(version: string, than: string): number {
  return (minorOf(version) ?? Number.NaN) - (minorOf(than) ?? Number.NaN);
}
