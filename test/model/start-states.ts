import type { ClusterObservation } from '../../domain/observation/observation.js';
import {
  clusterOf,
  type ClusterSpec,
  type HolderSpec,
  type NodeSpec,
} from '../support/cluster-builder.js';
import type { CcmKind, KcmKind } from '../support/manager-configs.js';

const KCM_KINDS: readonly KcmKind[] = [
  'inTree',
  'inTreeWrong',
  'inTreeLm',
  'external',
  'externalLm',
  'none',
];
const CCM_KINDS: readonly CcmKind[] = ['none', 'off', 'on'];

const NODE_SPECS: readonly NodeSpec[] = KCM_KINDS.flatMap((kcm) =>
  CCM_KINDS.map((ccm) => ({ kcm, ccm })),
);

/**
 * Every state of a cluster of `size` nodes: each kind of KCM and CCM on each node (ignoring the order of nodes), each possible leader of
 * the main locks, each possible holder of the migration lock.
 */
export function* startStates(size: number): Generator<ClusterObservation> {
  for (const nodes of multisets(size, 0)) {
    for (const spec of holderSpecs(nodes)) yield clusterOf({ ...spec, granted: true });
  }
}

/** A sample of them: every n-th combination of nodes, each with a different holder. */
export function* someStartStates(size: number, every: number): Generator<ClusterObservation> {
  let index = 0;
  for (const nodes of multisets(size, 0)) {
    if (index % every === 0) {
      const specs = [...holderSpecs(nodes)];
      const spec = specs[(index / every) % specs.length];
      if (spec !== undefined) yield clusterOf({ ...spec, granted: true });
    }
    index += 1;
  }
}

function* multisets(size: number, from: number): Generator<readonly NodeSpec[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let index = from; index < NODE_SPECS.length; index += 1) {
    const spec = NODE_SPECS[index];
    if (spec === undefined) continue;
    for (const rest of multisets(size - 1, index)) yield [spec, ...rest];
  }
}

function* holderSpecs(nodes: readonly NodeSpec[]): Generator<ClusterSpec> {
  for (const kcmLeader of leaders(nodes.map(({ kcm }) => kcm !== 'none'))) {
    for (const ccmLeader of leaders(nodes.map(({ ccm }) => ccm !== 'none'))) {
      for (const migration of migrationHolders(nodes, kcmLeader, ccmLeader)) {
        yield { nodes, kcmLeader, ccmLeader, migration };
      }
    }
  }
}

function leaders(present: readonly boolean[]): readonly HolderSpec[] {
  const alive = present.flatMap((there, index) => (there ? [index] : []));
  return [...alive, 'dead'];
}

/** Only main leaders with Leader Migration can hold the migration Lease, or a process that is gone. */
function migrationHolders(
  nodes: readonly NodeSpec[],
  kcmLeader: HolderSpec,
  ccmLeader: HolderSpec,
): readonly ClusterSpec['migration'][] {
  const holders: ClusterSpec['migration'][] = ['dead'];
  if (typeof kcmLeader === 'number') {
    const kcm = nodes[kcmLeader]?.kcm;
    if (kcm === 'inTreeLm' || kcm === 'externalLm' || kcm === 'inTreeWrong') {
      holders.push({ manager: 'kcm', node: kcmLeader });
    }
  }
  if (typeof ccmLeader === 'number' && nodes[ccmLeader]?.ccm === 'on') {
    holders.push({ manager: 'ccm', node: ccmLeader });
  }
  return holders;
}
