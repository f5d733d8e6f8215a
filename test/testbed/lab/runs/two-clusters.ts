import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { manifestPath } from '../../../../activities/node-paths.js';
import { loadFleets } from '../../../../config/fleet.js';
import { compiledProgram } from '../../../../devserver/package-files.js';
import { runProgram, type ProgramResult } from '../../../../devserver/run-program.js';
import { writeFleetFiles } from '../../../../testbed/demo/fleet-files.js';
import { labEnvironment, labInventory } from '../../../../testbed/demo/lab-fleet.js';
import { DEFAULT_VARIANT } from '../../../../testbed/demo/variant.js';
import { describeLab } from '../../../../testbed/lab/describe-lab.js';
import { openLab, type Lab } from '../../../../testbed/lab/lab.js';
import { placeOnHost } from '../../../../testbed/lab/nodes/node-disk.js';
import { endAll, openRunParts, type RunParts, type Undo } from '../../../support/run-parts.js';
import { MANAGERS } from '../truth/lab-observations.js';
import { WatchedCluster } from './watched-cluster.js';

export const FLEET = 'two-clusters';
export const NODE = 'cp-1';

/** The second wave waits for a person before it begins, and once more before the fleet ends. */
const FLEET_TEXT = `apiVersion: ccm-migrate.dev/v1alpha1
kind: FleetMigration
metadata:
  name: ${FLEET}
spec:
  inventory: lab
  policy: demo
  waves:
    - name: first
      selector: { names: [lab-1] }
    - name: second
      selector: { names: [lab-2] }
      approvals: { before: required, after: required }
`;

/** Two clusters of one lab with one control-plane node each, Temporal, a worker, and the product's commands. */
export class TwoClusters {
  readonly clusters: readonly [WatchedCluster, WatchedCluster];
  /** Files and folders of the fleet. */
  readonly files: string;
  readonly parts: RunParts;
  private readonly undo: readonly Undo[];

  private constructor(lab: Lab, files: string, parts: RunParts, undo: readonly Undo[]) {
    const watched = lab.clusters.map((cluster) => new WatchedCluster(lab, cluster));
    const [first, second] = watched;
    if (first === undefined || second === undefined) throw new Error('a lab without two clusters');
    this.clusters = [first, second];
    this.files = files;
    this.parts = parts;
    this.undo = undo;
  }

  /** Starts everything; when a part fails, what was started is stopped again. */
  static async open(): Promise<TwoClusters> {
    const undo: Undo[] = [];
    try {
      const report = (line: string): void => void process.stderr.write(`${line}\n`);
      const lab = await openLab({
        ...{ clusters: 2, nodes: 1, watched: true },
        ...{ env: process.env, report },
      });
      undo.push(() => lab.close());
      const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-two-clusters-'));
      undo.push(() => rm(folder, { recursive: true, force: true }));
      const files = await writeFiles(folder, lab);
      const [fleet] = await loadFleets([files]);
      if (fleet === undefined) throw new Error('there is no fleet');
      const parts = await openRunParts({ folder, fleet, stickyMs: 500 }, undo);
      const environment = new TwoClusters(lab, files, parts, undo);
      for (const cluster of environment.clusters) await cluster.untilInitialized();
      return environment;
    } catch (error) {
      await endAll(undo);
      throw error;
    }
  }

  async close(): Promise<void> {
    await endAll(this.undo);
  }

  /** One of the product's commands, as its users type it; shown with what it prints, for the record of a run. */
  async type(...words: readonly string[]): Promise<ProgramResult> {
    const env = { ...process.env, CCM_MIGRATE_ADDRESS: this.parts.address };
    const program = compiledProgram('cli', 'main.js');
    const result = await runProgram(process.execPath, [program, ...words], { env });
    const { code, stdout, stderr } = result;
    const shown = words.includes('json') ? '' : stdout;
    process.stderr.write(
      `$ ccm-migrate ${words.join(' ')}\n${shown}${stderr}exit ${String(code)}\n`,
    );
    return result;
  }

  /** A plan for the clusters as they are now. */
  planFile(): string {
    return join(this.parts.folder, 'plan.json');
  }
}

async function writeFiles(folder: string, lab: Lab): Promise<string> {
  const { sshKey, clusters } = describeLab(lab);
  const reached = clusters.map(({ machinesApi, ...cluster }) => {
    if (machinesApi === null) throw new Error('the lab serves no machines');
    return { ...cluster, machinesApi };
  });
  const [first] = reached;
  if (first === undefined) throw new Error('a lab without a cluster');
  const files = join(folder, 'fleet');
  await mkdir(files);
  // The CCM as static pod finds its API server by its node's kubeconfig: one manifest serves both clusters.
  await writeFleetFiles(files, labEnvironment(first), { ...DEFAULT_VARIANT, forward: 'inPlace' });
  await writeFile(join(files, 'fleet.yaml'), FLEET_TEXT);
  await writeFile(join(files, 'inventory.yaml'), labInventory({ sshKey, clusters: reached }));
  return files;
}

/** All by which a change would show, by the records of API server, host and process monitor. */
export interface Footprint {
  /** Requests of the product's user that changed something, fence included. */
  readonly writes: readonly string[];
  readonly kcm: string;
  /** All files of the node's Kubernetes, by their paths. */
  readonly files: readonly string[];
  readonly pids: readonly number[];
  /** Managers' processes that ever ran there. */
  readonly processes: number;
  readonly owners: unknown;
}

export async function footprint(watched: WatchedCluster): Promise<Footprint> {
  const { lab, cluster } = watched;
  const { controllers, sources } = await watched.truth();
  const requests = lab.truth(cluster.name).requests(0);
  const kcm = placeOnHost(cluster.node(NODE).folder, manifestPath('kcm'));
  return {
    writes: requests.filter(({ mutating }) => mutating).map(({ path }) => path),
    kcm: readFileSync(kcm, 'utf8'),
    files: readdirSync(dirname(dirname(kcm)), { recursive: true, encoding: 'utf8' }).toSorted(),
    pids: MANAGERS.flatMap((manager) => watched.pids(NODE, manager)),
    processes: sources.processes,
    owners: controllers,
  };
}
