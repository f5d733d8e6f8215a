import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { MigrationPolicy, RunTimings } from '../domain/policy.js';
import type { InventoryCluster } from './loaded-inventories.js';
import { inventoryClusters } from './loaded-inventories.js';
import { normalisedPolicy, normalisedTimings } from './normalised-policy.js';
import type { ConfigProblem } from './problems.js';
import { ConfigInvalid } from './problems.js';
import type { ReadResult } from './read-documents.js';
import { readDocuments, readFound, wholeFile } from './read-documents.js';
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

/** Everything a run needs from the operator's files, ready to use and frozen. */
export interface Fleet {
  readonly name: string;
  readonly clusters: readonly InventoryCluster[];
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
  /** Text that steps write; kept out of observations. */
  readonly materials: { readonly ccmManifest: string };
  /** Absolute path of the inventory file, as passed to workers. */
  readonly inventoryFile: string;
}

/** Result of `lint`: every problem, and what was checked. */
export interface LintResult {
  readonly problems: readonly ConfigProblem[];
  readonly documents: number;
  readonly fleets: readonly Fleet[];
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
  const fleets = problems.length > 0 ? [] : joined.map((one) => finishFleet(one, manifests));
  return { problems, documents: read.documents.length, fleets };
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
  const text = await readFile(path, 'utf8').catch(() => null);
  const message = text === null ? `cannot be read: ${path}` : manifestComplaint(text, ccm);
  if (text !== null && message === null) return text;
  return problemAt(policy.file, policy.source, {
    path: ['spec', 'ccm', 'manifest'],
    about: 'value',
    message: message ?? 'cannot be used',
    code: text === null ? 'CCM5016' : 'CCM5014',
  });
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

function finishFleet(
  { fleet, inventory, policy, selected }: JoinedFleet,
  manifests: ReadonlyMap<ValidDocument, string>,
): Fleet {
  const clusters = inventoryClusters(inventory);
  return Object.freeze({
    name: fleet.content.metadata.name,
    clusters: clusters.filter((_, index) => selected.includes(index)),
    policy: normalisedPolicy(policy.content.spec),
    timings: normalisedTimings(policy.content.spec),
    materials: { ccmManifest: manifests.get(policy) ?? '' },
    inventoryFile: resolve(inventory.file),
  });
}
