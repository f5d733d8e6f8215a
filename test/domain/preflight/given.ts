import { isFindingCode } from '../../../domain/findings/catalogue.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  Inventory,
  ManagerConfig,
  ManagerProcess,
} from '../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import type { PreflightExtra } from '../../../domain/preflight/preflight-check.js';
import { preflight } from '../../../domain/preflight/preflight.js';
import type { Manager } from '../../../domain/vocabulary.js';
import type { ClusterSpec } from '../../support/cluster-builder.js';
import { clusterOf, policyOf } from '../../support/cluster-builder.js';
import type { CcmKind, KcmKind } from '../../support/manager-configs.js';

/** A healthy cluster on the source side, apart from the findings of `UNAVOIDABLE`. */
export function cluster(kcm: KcmKind = 'inTree', ccm: CcmKind = 'none'): ClusterObservation {
  const nodes: ClusterSpec['nodes'] = [
    { kcm, ccm },
    { kcm, ccm },
    { kcm, ccm },
  ];
  const ccmLeader = ccm === 'none' ? 'free' : 0;
  const migration = ccm === 'on' ? ({ manager: 'ccm', node: 0 } as const) : ('free' as const);
  return clusterOf({ nodes, kcmLeader: 0, ccmLeader, migration });
}

/** Codes that every cluster shows before its migration: its kubelets are in-tree, failovers get longer. */
export const UNAVOIDABLE = ['CCM1205', 'CCM1015'] as const;

/** What a row changes. Each part maps the usual value to another. */
export interface Row {
  readonly observation?: ClusterObservation;
  readonly policy?: MigrationPolicy;
  readonly extra?: PreflightExtra;
}

/** `CODE severity subject: seen` of every finding, without the unavoidable ones unless requested. */
export function findings({ observation, policy, extra }: Row, all = false): readonly string[] {
  return preflight(observation ?? cluster(), policy ?? policyOf(), extra)
    .filter(({ code }) => all || !UNAVOIDABLE.some((one) => one === code))
    .map(({ code, severity, subject, seen }) => {
      if (!isFindingCode(code)) throw new Error(`unknown code ${code}`);
      return `${code} ${severity} ${subject}: ${seen}`;
    });
}

/** The same cluster with other settings of one node's manager, in its manifest and its process. */
export function withConfig(
  observation: ClusterObservation,
  manager: Manager,
  change: Partial<ManagerConfig>,
  index = 0,
): ClusterObservation {
  return withNode(
    observation,
    (node) => {
      const { manifest, processes } = node[manager];
      if (manifest.state !== 'present') throw new Error('no manifest');
      const slot = {
        manifest: { ...manifest, config: { ...manifest.config, ...change } },
        processes: processes.map((process) => ({
          ...process,
          config: { ...process.config, ...change },
        })),
      };
      return manager === 'kcm' ? { kcm: slot } : { ccm: slot };
    },
    index,
  );
}

/** The same cluster, every manager of one kind changed. */
export function withConfigs(
  observation: ClusterObservation,
  manager: Manager,
  change: Partial<ManagerConfig>,
): ClusterObservation {
  return observation.nodes.reduce(
    (changed, _, index) => withConfig(changed, manager, change, index),
    observation,
  );
}

export function withNode(
  observation: ClusterObservation,
  change: (node: ControlPlaneNode) => Partial<ControlPlaneNode>,
  index = 0,
): ClusterObservation {
  const nodes = observation.nodes.map((node, at) =>
    at === index ? { ...node, ...change(node) } : node,
  );
  return { ...observation, nodes };
}

export function withInventory(
  observation: ClusterObservation,
  change: (inventory: Inventory) => Partial<Inventory>,
): ClusterObservation {
  const { inventory } = observation;
  return { ...observation, inventory: { ...inventory, ...change(inventory) } };
}

export const NO_WORKERS = {
  total: 0,
  ready: 0,
  kubeletInTree: 0,
  kubeletExternal: 0,
  uninitialized: 0,
};

/** A source cluster whose first node differs. */
export function node(change: Partial<ControlPlaneNode>): Row {
  return { observation: withNode(cluster(), () => change) };
}

/** A migrated cluster with an unhealthy standby. */
export function withLiveness(manager: Manager, liveness: ManagerProcess['liveness']): Row {
  const change = (one: ControlPlaneNode): Partial<ControlPlaneNode> => {
    const processes = one[manager].processes.map((process) => ({ ...process, liveness }));
    const slot = { ...one[manager], processes };
    return manager === 'kcm' ? { kcm: slot } : { ccm: slot };
  };
  return { observation: withNode(cluster('external', 'on'), change, 1) };
}
