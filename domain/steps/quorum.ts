import { makeFinding } from '../findings/catalogue.js';
import type { ClusterFacts } from '../facts/cluster-facts.js';
import type { Finding } from '../finding.js';

/**
 * What forbids adding or removing control-plane machines now: the etcd topology must be known, and where it is stacked every
 * member must be a healthy voter, so that one machine less keeps quorum (etcd quorum = floor(n/2)+1). `leaving` is a node
 * whose own bad health does not count.
 */
export function replaceFindings(
  { observation }: ClusterFacts,
  leaving: string | null,
): readonly Finding[] {
  const { etcd, nodes } = observation;
  if (etcd.topology === 'unknown') {
    return [makeFinding('CCM2005', { subject: 'etcd', seen: 'its topology could not be read' })];
  }
  const members = etcd.topology === 'external' ? [] : etcd.members;
  const sick = members.filter(
    ({ node, healthy, voter }) => node !== leaving && (healthy !== 'yes' || voter !== 'yes'),
  );
  const down = nodes.filter(({ name, ready }) => name !== leaving && ready !== 'yes');
  return [
    ...sick.map(({ name }) =>
      makeFinding('CCM2005', { subject: `etcd member ${name}`, seen: 'not a healthy voter' }),
    ),
    ...down.map(({ name, ready }) =>
      makeFinding('CCM2006', { subject: `node ${name}`, seen: `Ready is ${ready}` }),
    ),
  ];
}
