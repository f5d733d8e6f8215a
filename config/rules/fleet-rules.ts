import type { ClusterInventory } from '../kinds/cluster-inventory.js';
import type { FleetMigration } from '../kinds/fleet-migration.js';
import type { WrittenPolicy } from '../kinds/migration-policy.js';
import { didYouMean } from '../nearest-name.js';
import type { ConfigProblem, SchemaComplaint } from '../problems.js';
import type { ValidDocument } from '../validated-documents.js';
import { problemAt } from '../validated-documents.js';

/** A fleet with the documents it refers to. */
export interface JoinedFleet {
  readonly fleet: ValidDocument<FleetMigration>;
  readonly inventory: ValidDocument<ClusterInventory>;
  readonly policy: ValidDocument<WrittenPolicy>;
  /** Indices into the inventory's clusters. */
  readonly selected: readonly number[];
}

type Complain = (complaint: Omit<SchemaComplaint, 'about'>) => void;

/** Resolves the references of a fleet among the given documents; null when something is missing (and reported). */
export function joinFleet(
  fleet: ValidDocument<FleetMigration>,
  inventories: readonly ValidDocument<ClusterInventory>[],
  policies: readonly ValidDocument<WrittenPolicy>[],
  problems: ConfigProblem[],
): JoinedFleet | null {
  const complain: Complain = (complaint) =>
    problems.push(problemAt(fleet.file, fleet.source, { ...complaint, about: 'value' }));
  const { spec } = fleet.content;
  const inventory = named(inventories, spec.inventory, 'inventory', complain);
  const policy = named(policies, spec.policy, 'policy', complain);
  if (inventory === null || policy === null) return null;
  const selected = selectClusters(fleet.content.spec.clusters, inventory.content, complain);
  const joined = { fleet, inventory, policy, selected };
  problems.push(...machinesNeeded(joined));
  return joined;
}

function named<T extends ClusterInventory | WrittenPolicy>(
  documents: readonly ValidDocument<T>[],
  name: string,
  field: 'inventory' | 'policy',
  complain: Complain,
): ValidDocument<T> | null {
  const matches = documents.filter((document) => document.content.metadata.name === name);
  const [match] = matches;
  if (match !== undefined && matches.length === 1) return match;
  const names = documents.map((document) => document.content.metadata.name);
  const message =
    match === undefined
      ? `no such ${field} among the files given${didYouMean(name, names)}`
      : `${String(matches.length)} documents are named "${name}"`;
  complain({
    path: ['spec', field],
    message,
    code: match === undefined ? 'CCM5010' : 'CCM5009',
  });
  return null;
}

function selectClusters(
  selection: FleetMigration['spec']['clusters'],
  inventory: ClusterInventory,
  complain: Complain,
): readonly number[] {
  const clusters = inventory.spec.clusters;
  const known = clusters.map((cluster) => cluster.name);
  selection.names?.forEach((name, index) => {
    if (known.includes(name)) return;
    complain({
      path: ['spec', 'clusters', 'names', index],
      message: `not in inventory ${inventory.metadata.name}${didYouMean(name, known)}`,
      code: 'CCM5008',
    });
  });
  const wanted = Object.entries(selection.labels ?? {});
  const selected = clusters.flatMap((cluster, index) =>
    (selection.names?.includes(cluster.name) ?? true) &&
    wanted.every(([key, value]) => cluster.labels[key] === value)
      ? [index]
      : [],
  );
  if (selected.length === 0) {
    const message = `selects no cluster of inventory ${inventory.metadata.name}`;
    complain({ path: ['spec', 'clusters'], message, code: 'CCM5008' });
  }
  return selected;
}

/** Replacing nodes requests machines, so each cluster needs a machines API. */
function machinesNeeded({ inventory, policy, selected }: JoinedFleet): readonly ConfigProblem[] {
  const { nodes } = policy.content.spec;
  if (nodes.forward !== 'replace' && nodes.rollback !== 'replace') return [];
  return selected
    .filter((index) => inventory.content.spec.clusters[index]?.machinesApi === null)
    .map((index) =>
      problemAt(inventory.file, inventory.source, {
        path: ['spec', 'clusters', index, 'machinesApi'],
        about: 'value',
        message: `needed because policy ${policy.content.metadata.name} replaces nodes; set it, or set nodes.forward: inPlace`,
        code: 'CCM5010',
      }),
    );
}
