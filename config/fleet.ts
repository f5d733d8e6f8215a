import { dirname, resolve } from 'node:path';
import type { FindingCode } from '../domain/findings/catalogue.js';
import type { RolloutPolicy, RowPlan } from '../domain/fleet/fleet-plan.js';
import { memoizeByIdentity } from '../domain/memoize.js';
import type { MigrationPolicy, RunTimings } from '../domain/policy.js';
import type { InventoryCluster } from './loaded-inventories.js';
import { inventoryClusters } from './loaded-inventories.js';
import type { ClusterInventory } from './kinds/cluster-inventory.js';
import type { FleetMigration } from './kinds/fleet-migration.js';
import type { NormalisedWave } from './normalised-fleet.js';
import { normalisedRollout, normalisedWave, rowsOf } from './normalised-fleet.js';
import { normalisedPolicy, normalisedTimings } from './normalised-policy.js';
import type { ConfigProblem } from './problems.js';
import { ConfigInvalid } from './problems.js';
import type { ReadResult } from './read-documents.js';
import {
  LARGEST_FILE_BYTES,
  readDocuments,
  readFound,
  unreadable,
  unreadableCode,
  wholeFile,
} from './read-documents.js';
import { manifestComplaint } from './rules/ccm-manifest.js';
import type { JoinedFleet } from './rules/fleet-rules.js';
import { joinFleet } from './rules/fleet-rules.js';
import { POLICY_RULES } from './rules/policy-rules.js';
import { repeatedNames } from './rules/repeated-names.js';
import { sshProblems } from './rules/ssh-rules.js';
import { setsBelow } from './sets-below.js';
import type { ValidDocument } from './validated-documents.js';
import { isOfKind, problemAt } from './validated-documents.js';
import type { WrittenPolicy } from './kinds/migration-policy.js';
import { readBoundedText } from './regular-file.js';

/** What a run of one cluster takes from its fleet. */
export interface RunSettings {
  /** Name of the fleet. */
  readonly name: string;
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
  /** Text that steps write; kept out of observations. */
  readonly materials: { readonly ccmManifest: string };
}

/** Everything that runs need from the operator's files, ready to use and frozen. */
export interface Fleet extends RunSettings {
  readonly clusters: readonly InventoryCluster[];
  /** At least one. Each cluster is in exactly one. */
  readonly waves: readonly FleetWave[];
  readonly rollout: RolloutPolicy;
  /** The clusters, in the same order, as the rule of the fleet knows them before they are planned. */
  readonly rows: readonly RowPlan[];
}

/** A wave, and what the runs of its clusters take from it: policy and soak may be its own. */
export interface FleetWave extends NormalisedWave {
  readonly settings: RunSettings;
}

/** What a run of a cluster takes from its fleet and its wave. */
export function settingsOf(fleet: Fleet, cluster: Pick<InventoryCluster, 'name'>): RunSettings {
  return waveOf(fleet, cluster)?.settings ?? fleet;
}

/** What the wave of a cluster promises that a run of this cluster alone would not keep, as words for people. */
export function unkeptAlone(
  fleet: Fleet,
  cluster: Pick<InventoryCluster, 'name'>,
): readonly string[] {
  const wave = waveOf(fleet, cluster);
  if (wave === undefined) return [];
  const { scheduled, approvals } = wave.plan;
  return [
    ...(scheduled ? ['windows or excluded dates'] : []),
    ...(approvals.before + approvals.after > 0 ? ['approvals'] : []),
    ...(wave.plan.rehearseRollback ? ['a rehearsed rollback'] : []),
  ];
}

function waveOf(fleet: Fleet, { name }: Pick<InventoryCluster, 'name'>): FleetWave | undefined {
  const row = fleet.rows.find((each) => each.name === name);
  return row === undefined ? undefined : fleet.waves[row.wave];
}

/** Result of `lint`: every problem, and what was checked. */
export interface LintResult {
  readonly problems: readonly ConfigProblem[];
  readonly documents: number;
  readonly fleets: readonly Fleet[];
  /** As written, also where something else is wrong: what has to do with the time is judged on them. */
  readonly fleetDocuments: readonly ValidDocument<FleetMigration>[];
}

/** Runs every check on files and folders that works offline. Never throws because of their content. */
export async function lintFiles(paths: readonly string[]): Promise<LintResult> {
  return linted(await readDocuments(paths));
}

/**
 * The same, and of folders also what lies below. Each folder below is a set of its own: names are unique in it, and what
 * its documents name has to be in it, as with `-f FOLDER` of the other commands.
 */
export async function lintTree(paths: readonly string[]): Promise<LintResult> {
  const below = await setsBelow(paths);
  const named = paths.filter((path) => !below.onlyFolders.includes(path));
  const results = [await lintFiles(named)];
  for (const files of below.sets) results.push(await linted(await readFound(files)));
  return {
    problems: [...results.flatMap(({ problems }) => problems), ...below.problems],
    documents: results.reduce((sum, { documents }) => sum + documents, 0),
    fleets: results.flatMap(({ fleets }) => fleets),
    fleetDocuments: results.flatMap(({ fleetDocuments }) => fleetDocuments),
  };
}

/** One set of documents. */
async function linted(read: ReadResult): Promise<LintResult> {
  const problems = [...read.problems];
  const policies = read.documents.filter((document) => isOfKind(document, 'MigrationPolicy'));
  const manifests = new Map<ValidDocument, string>();
  for (const policy of policies) {
    problems.push(...policyProblems(policy));
    const manifest = await readManifest(policy);
    if (typeof manifest === 'string') manifests.set(policy, manifest);
    else problems.push(manifest);
  }
  // Otherwise names in a fleet would be reported missing only because the document that defines them is broken.
  const joined = read.problems.length > 0 ? [] : joinAll(read, problems);
  const clustersOf = memoizeByIdentity(inventoryClusters);
  const fleets =
    problems.length > 0 ? [] : joined.map((one) => finishFleet(one, manifests, clustersOf));
  const fleetDocuments = read.documents.filter((one) => isOfKind(one, 'FleetMigration'));
  return { problems, documents: read.documents.length, fleets, fleetDocuments };
}

/**
 * The fleets of the given files.
 * @throws ConfigInvalid with every problem, also when there is no FleetMigration at all.
 */
export async function loadFleets(paths: readonly string[]): Promise<readonly Fleet[]> {
  const { problems, fleets } = await lintFiles(paths);
  if (problems.length > 0) throw new ConfigInvalid(problems);
  if (fleets.length === 0) {
    const file = paths[0] ?? '.';
    throw new ConfigInvalid([wholeFile(file, 'no FleetMigration document here', 'CCM5005')]);
  }
  return fleets;
}

function policyProblems(policy: ValidDocument<WrittenPolicy>): readonly ConfigProblem[] {
  return POLICY_RULES.flatMap(({ path, code, check }) => {
    const message = check(policy.content.spec);
    if (message === null) return [];
    return [problemAt(policy.file, policy.source, { path, about: 'value', message, code })];
  });
}

async function readManifest(policy: ValidDocument<WrittenPolicy>): Promise<string | ConfigProblem> {
  const { ccm } = policy.content.spec;
  const path = resolve(dirname(resolve(policy.file)), ccm.manifest);
  const problem = (message: string, code: FindingCode): ConfigProblem =>
    problemAt(policy.file, policy.source, {
      path: ['spec', 'ccm', 'manifest'],
      ...({ about: 'value', message, code } as const),
    });
  try {
    const text = await readBoundedText(path, LARGEST_FILE_BYTES);
    const message = manifestComplaint(text, ccm);
    return message === null ? text : problem(message, 'CCM5014');
  } catch (error) {
    return problem(`${unreadable(error)}: ${path}`, unreadableCode(error));
  }
}

function joinAll({ documents }: ReadResult, problems: ConfigProblem[]): readonly JoinedFleet[] {
  const inventories = documents.filter((document) => isOfKind(document, 'ClusterInventory'));
  const policies = documents.filter((document) => isOfKind(document, 'MigrationPolicy'));
  problems.push(...repeatedNames(inventories), ...sshProblems(inventories));
  return documents
    .filter((document) => isOfKind(document, 'FleetMigration'))
    .map((fleet) => joinFleet(fleet, inventories, policies, problems))
    .filter((joined) => joined !== null);
}

function finishFleet(joined: JoinedFleet, manifests: Manifests, clustersOf: ClustersOf): Fleet {
  const { fleet, policy, waves, members } = joined;
  const { name } = fleet.content.metadata;
  return Object.freeze({
    ...settingsFrom(name, policy, manifests),
    clusters: members.flatMap(({ inventory, index }) => clustersOf(inventory)[index] ?? []),
    waves: waves.map((wave) => ({
      ...normalisedWave(wave),
      settings: settingsFrom(name, wave.policy, manifests, wave.written.soak),
    })),
    rollout: normalisedRollout(fleet.content.spec.rollout, members.length),
    rows: rowsOf(joined),
  });
}

/** Text of the CCM's manifest, by the policy that names it. */
type Manifests = ReadonlyMap<ValidDocument, string>;
type ClustersOf = (inventory: ValidDocument<ClusterInventory>) => readonly InventoryCluster[];

function settingsFrom(
  name: string,
  policy: ValidDocument<WrittenPolicy>,
  manifests: Manifests,
  soak?: string,
): RunSettings {
  const { spec } = policy.content;
  return {
    name,
    policy: normalisedPolicy(soak === undefined ? spec : { ...spec, soak }),
    timings: normalisedTimings(spec),
    materials: { ccmManifest: manifests.get(policy) ?? '' },
  };
}
