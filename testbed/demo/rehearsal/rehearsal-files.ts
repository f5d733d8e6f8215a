import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadFleets, type Fleet } from '../../../config/fleet.js';
import type { FleetMigration } from '../../../config/kinds/fleet-migration.js';
import type { WrittenPolicy } from '../../../config/kinds/migration-policy.js';
import { readDocuments } from '../../../config/read-documents.js';
import { isOfKind } from '../../../config/validated-documents.js';
import { UsageError } from '../../../cli/cli-error.js';
import { ccmManifest } from '../demo-ccm.js';
import { plainVersion, rehearsedWaves, shapeOfRehearsal } from './rehearsed-clusters.js';
import type { RehearsedWave } from './rehearsed-clusters.js';
import { rehearsedFleet } from './rehearsed-fleet.js';
import { rehearsedPolicy } from './rehearsed-policy.js';
import type { RehearsalSettings } from './rehearsal-settings.js';

/** What is rehearsed: the real fleet as it is written, and which part of it. */
export interface RehearsedSet {
  readonly real: Fleet;
  readonly written: FleetMigration;
  readonly policies: readonly WrittenPolicy[];
  readonly waves: readonly RehearsedWave[];
}

/**
 * Reads the files of a fleet, as `plan` does.
 * @throws ConfigInvalid with every problem
 * @throws UsageError for files of several fleets, and for a single cluster
 */
export async function readRehearsed(
  files: readonly string[],
  settings: RehearsalSettings,
): Promise<RehearsedSet> {
  if (files.length === 0) throw new UsageError('-f is required: files or folders of the fleet');
  const fleets = await loadFleets(files);
  const { documents } = await readDocuments(files);
  const written = documents.find((document) => isOfKind(document, 'FleetMigration'));
  const [real] = fleets;
  if (real === undefined || written === undefined || fleets.length > 1) {
    const names = fleets.map(({ name }) => name).join(', ');
    throw new UsageError(`the files hold several fleets (${names}): give those of one with -f`);
  }
  const policies = documents.filter((document) => isOfKind(document, 'MigrationPolicy'));
  const waves = rehearsedWaves(real, settings.clusters);
  checkCount(waves, settings);
  return {
    ...{ real, waves, written: written.content },
    policies: policies.map(({ content }) => content),
  };
}

function checkCount(waves: readonly RehearsedWave[], { clusters }: RehearsalSettings): void {
  if (waves.reduce((sum, wave) => sum + wave.clusters.length, 0) > 1) return;
  throw new UsageError(
    clusters === 1
      ? '--clusters 1: a fleet has at least two'
      : 'the files name one cluster: `ccm-migrate demo` shows the migration of one',
  );
}

/** Writes fleet, policies, manifests and shape into a folder; the simulator writes the inventory. */
export async function writeRehearsed(
  folder: string,
  { real, written, policies, waves }: RehearsedSet,
  settings: RehearsalSettings,
): Promise<void> {
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await write('fleet.yaml', jsonText(rehearsedFleet(written, waves)));
  await write('shape.yaml', shapeOfRehearsal(real, waves));
  for (const [index, policy] of policies.entries()) {
    const manifest = `ccm-${String(index)}.yaml`;
    const rehearsed = rehearsedPolicy(policy, { soak: settings.soak, manifest });
    await write(`policy-${String(index)}.yaml`, jsonText(rehearsed));
    await write(manifest, manifestOf(policy));
  }
}

function manifestOf({ spec: { ccm } }: WrittenPolicy): string {
  const version = plainVersion(ccm.version);
  return ccmManifest({
    ...{ deployAs: ccm.deployAs, clusterCidr: '10.244.0.0/14', server: 'https://127.0.0.1' },
    image: `registry.k8s.io/cloud-controller-manager:v${version}`,
  });
}

/** JSON is YAML. */
function jsonText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
