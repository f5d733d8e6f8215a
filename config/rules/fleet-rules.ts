import type { ClusterInventory } from '../kinds/cluster-inventory.js';
import type { FleetMigration } from '../kinds/fleet-migration.js';
import type { WrittenPolicy } from '../kinds/migration-policy.js';
import { clusterWorkflowId, fleetWorkflowId } from '../names.js';
import { didYouMean } from '../nearest-name.js';
import type { ConfigProblem } from '../problems.js';
import type { ValidDocument } from '../validated-documents.js';
import { problemAt } from '../validated-documents.js';
import type { Complain, DocumentPath } from './complain.js';
import type { FleetMember } from './fleet-members.js';
import { membersOf, missingLabel, reportUnknown, selectedOf } from './fleet-members.js';
import { repeatedInList } from './repeated-names.js';
import { rolloutProblems } from './rollout-rules.js';
import type { JoinedWave } from './wave-rules.js';
import { joinWaves } from './wave-rules.js';

/** A fleet with the documents it refers to. */
export interface JoinedFleet {
  readonly fleet: ValidDocument<FleetMigration>;
  readonly policy: ValidDocument<WrittenPolicy>;
  readonly waves: readonly JoinedWave[];
  /** The clusters of all waves, in the order of the inventories. */
  readonly members: readonly FleetMember[];
}

/** Resolves the references of a fleet among the given documents; null when something is missing (and reported). */
export function joinFleet(
  fleet: ValidDocument<FleetMigration>,
  inventories: readonly ValidDocument<ClusterInventory>[],
  policies: readonly ValidDocument<WrittenPolicy>[],
  problems: ConfigProblem[],
): JoinedFleet | null {
  const complain: Complain = ({ about = 'value', ...complaint }) =>
    problems.push(problemAt(fleet.file, fleet.source, { ...complaint, about }));
  const { spec } = fleet.content;
  const found = namedInventories(spec, inventories, complain);
  const policyNamed = (name: string, path: DocumentPath) =>
    named(policies, { name, path, field: 'policy' }, complain);
  const policy = policyNamed(spec.policy, ['spec', 'policy']);
  if (found === null || policy === null) return null;
  const selected = selectClusters(spec.clusters, found, complain);
  if (selected.length === 0) return null;
  const waves = joinWaves(spec, { members: selected, policy, policyNamed, complain });
  const inWaves = new Set(waves.flatMap(({ members }) => members));
  const members = selected.filter((member) => inWaves.has(member));
  rolloutProblems(spec.rollout, members, complain);
  nameProblem(fleet.content.metadata.name, members, complain);
  problems.push(...waves.flatMap(machinesNeeded), ...waves.flatMap(metricsNeeded));
  return { fleet, policy, waves, members };
}

/** Commands say what they are for by its name: `approve FLEET/wave/NAME`, `resume CLUSTER`. */
function nameProblem(name: string, members: readonly FleetMember[], complain: Complain): void {
  const path = ['metadata', 'name'];
  if (RUN_KINDS.includes(name)) {
    const message = `commands take ${name}/… for the id of a run: choose another name`;
    complain({ path, message, code: 'CCM5003' });
  }
  // One cluster is migrated on its own, and no fleet of that name runs.
  if (members.length < 2 || members.every((member) => member.name !== name)) return;
  const message = `a cluster of this fleet has the same name, and commands could mean either`;
  complain({ path, message, code: 'CCM5009' });
}

/** What the ids of runs begin with. */
const RUN_KINDS: readonly string[] = [clusterWorkflowId(''), fleetWorkflowId('')].map((id) =>
  id.slice(0, -1),
);

function namedInventories(
  { inventory, inventories }: FleetMigration['spec'],
  documents: readonly ValidDocument<ClusterInventory>[],
  complain: Complain,
): readonly ValidDocument<ClusterInventory>[] | null {
  const [path, several]: [DocumentPath, DocumentPath] = [
    ['spec', 'inventory'],
    ['spec', 'inventories'],
  ];
  if (inventory !== undefined && inventories !== undefined) {
    const message = 'only one of inventory and inventories can be given';
    complain({ path: several, about: 'key', message, code: 'CCM5010' });
    return null;
  }
  if (inventory !== undefined) {
    const found = named(documents, { name: inventory, path, field: 'inventory' }, complain);
    return found === null ? null : [found];
  }
  if (inventories === undefined) {
    const message = 'required, and missing (string; or inventories with several)';
    complain({ path, message, code: 'CCM5004' });
    return null;
  }
  repeatedInList(inventories, several, complain);
  const found = [...new Set(inventories)].map((name) =>
    named(
      documents,
      { name, path: [...several, inventories.indexOf(name)], field: 'inventory' },
      complain,
    ),
  );
  return found.includes(null) ? null : found.filter((each) => each !== null);
}

interface Reference {
  readonly name: string;
  readonly path: DocumentPath;
  readonly field: 'inventory' | 'policy';
}

function named<T extends ClusterInventory | WrittenPolicy>(
  documents: readonly ValidDocument<T>[],
  { name, path, field }: Reference,
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
  complain({ path, message, code: match === undefined ? 'CCM5010' : 'CCM5009' });
  return null;
}

function selectClusters(
  selection: FleetMigration['spec']['clusters'],
  inventories: readonly ValidDocument<ClusterInventory>[],
  complain: Complain,
): readonly FleetMember[] {
  const members = membersOf(inventories);
  const names = inventories.map(({ content }) => content.metadata.name);
  const place = `${names.length === 1 ? 'inventory' : 'inventories'} ${names.join(', ')}`;
  const path = ['spec', 'clusters', 'names'];
  reportUnknown(members, { names: selection.names ?? [], path, place }, complain);
  const selected = selectedOf(members, selection);
  if (selected.length === 0) {
    const message = `selects no cluster of ${place}${missingLabel(members, selection)}`;
    complain({ path: ['spec', 'clusters'], message, code: 'CCM5008' });
  }
  return selected;
}

/** Replacing nodes requests machines, so each cluster needs a machines API. */
function machinesNeeded({ policy, members }: JoinedWave): readonly ConfigProblem[] {
  const { nodes } = policy.content.spec;
  if (nodes.forward !== 'replace' && nodes.rollback !== 'replace') return [];
  return members
    .filter(({ inventory, index }) => inventory.content.spec.clusters[index]?.machinesApi === null)
    .map(({ inventory, index }) =>
      problemAt(inventory.file, inventory.source, {
        path: ['spec', 'clusters', index, 'machinesApi'],
        about: 'value',
        message: `needed because policy ${policy.content.metadata.name} replaces nodes; set it, or set nodes.forward: inPlace`,
        code: 'CCM5010',
      }),
    );
}

/** Gates of the operator's own are judged on the cluster's Prometheus; without one each run would hold from its begin. */
function metricsNeeded({ policy, members }: JoinedWave): readonly ConfigProblem[] {
  const { name } = policy.content.metadata;
  if (policy.content.spec.gates.metrics.own.length === 0) return [];
  return members
    .filter(
      ({ inventory, index }) =>
        inventory.content.spec.clusters[index]?.metrics.prometheus === undefined,
    )
    .map(({ inventory, index }) =>
      problemAt(inventory.file, inventory.source, {
        path: ['spec', 'clusters', index, 'metrics'],
        about: 'value',
        message: `needs a prometheus because policy ${name} has gates of its own; name it, or remove gates.metrics.own`,
        code: 'CCM5010',
      }),
    );
}
