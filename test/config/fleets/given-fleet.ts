import { join } from 'node:path';
import type { Fleet } from '../../../config/fleet.js';
import { lintFiles } from '../../../config/fleet.js';
import { formatProblem } from '../../../config/problems.js';
import { CCM_POD, POLICY, withFiles } from '../given-files.js';

export type Files = Readonly<Record<string, string>>;

const HEAD = (kind: string, name: string): string =>
  `apiVersion: ccm-migrate.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\n`;

interface GivenCluster {
  readonly name: string;
  readonly region: string;
  readonly labels?: string;
}

export function inventoryOf(name: string, clusters: readonly GivenCluster[]): string {
  const lines = clusters.map(
    ({ name: cluster, region, labels = '' }) =>
      `    - { name: ${cluster}, region: ${region}, labels: { ${labels} }, kubeconfig: k }\n`,
  );
  return `${HEAD('ClusterInventory', name)}spec:\n  clusters:\n${lines.join('')}`;
}

/** Five clusters in two inventories: eu-1 to eu-3, of which eu-1 is a pilot, and us-1 and us-2. */
const EU = inventoryOf('eu', [
  { name: 'eu-1', region: 'eu', labels: 'tier: pilot' },
  { name: 'eu-2', region: 'eu', labels: 'tier: main' },
  { name: 'eu-3', region: 'eu', labels: 'tier: main' },
]);
const US = inventoryOf('us', [
  { name: 'us-1', region: 'us', labels: 'tier: main' },
  { name: 'us-2', region: 'us', labels: 'tier: main' },
]);

export const STANDARD = `${POLICY}  nodes: { forward: inPlace }\n`;

export const FILES: Files = {
  'eu.yaml': EU,
  'us.yaml': US,
  'policy.yaml': STANDARD,
  'ccm.yaml': CCM_POD,
};

/** A fleet of both inventories; `rest` begins at line 7, in the specification. */
export function fleetWith(rest: string, name = 'all'): string {
  return `${HEAD('FleetMigration', name)}spec:\n  inventories: [eu, us]\n  policy: standard\n${rest}`;
}

export interface Linted {
  readonly problems: readonly string[];
  readonly fleets: readonly Fleet[];
}

/** Lints a fleet file beside the other files. */
export function lintFleet(fleet: string, files: Files = {}): Promise<Linted> {
  const all: Files = { ...FILES, ...files, 'fleet.yaml': fleet };
  return withFiles(all, async (folder) => {
    const paths = Object.keys(all).filter((name) => name !== 'ccm.yaml');
    const { problems, fleets } = await lintFiles(paths.map((name) => join(folder, name)));
    const lines = problems.map(formatProblem).map((line) => line.replaceAll(`${folder}/`, ''));
    return { problems: lines, fleets };
  });
}

/** The only fleet of files without a problem. */
export async function fleetOf(fleet: string, files: Files = {}): Promise<Fleet> {
  const { problems, fleets } = await lintFleet(fleet, files);
  const [only] = fleets;
  if (only === undefined) throw new Error(problems.join('\n'));
  return only;
}
