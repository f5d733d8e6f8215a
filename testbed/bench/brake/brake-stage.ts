import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFleets, type Fleet } from '../../../config/fleet.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { writeFleetFolder, type FleetOfRun } from '../simulated/fleet-texts.js';
import { openSetup, type ProductSetup, type SetupContext } from '../simulated/product-setup.js';
import type { DrawnRun, Situation } from './brake-draws.js';
import type { BrakeStage } from './brake-run.js';
import { probeUrl } from './loop-delay.js';

/** Which policy a situation needs, by the name of its fleet. */
const FLEETS: Readonly<Record<Situation, 'changing' | 'waiting'>> = {
  pausedOwner: 'changing',
  secondOwner: 'changing',
  cloudRefuses: 'changing',
  pausedInHold: 'waiting',
};

const SOAK_SECONDS = 60;

/** Everything that the runs of a bench share. */
export interface OpenStage {
  readonly setup: ProductSetup;
  /** A cluster that no other run has. */
  readonly stageOf: (drawn: DrawnRun) => BrakeStage;
  /** Where the processes write how late they are. */
  readonly delays: string;
  readonly close: () => Promise<void>;
}

/** One fresh cluster for each run, in a fleet of its policy. When it rejects, nothing is left running. */
export async function openStage(
  drawn: readonly DrawnRun[],
  context: Omit<SetupContext, 'folder'>,
): Promise<OpenStage> {
  const root = mkdtempSync(join(tmpdir(), 'ccm-migrate-brake-'));
  const delays = join(root, 'delays');
  mkdirSync(delays);
  const groups = fleetsFor(drawn);
  const setup = await openSetup(groups, {
    ...{ ...context, folder: join(root, 'run') },
    env: probed(context.env, delays),
  });
  const close = async (): Promise<void> => {
    await setup.close();
    rmSync(root, { recursive: true, force: true });
  };
  try {
    const fleets = new Map<string, Fleet>();
    for (const group of groups) {
      const folder = await writeFleetFolder(setup.folder, group);
      for (const fleet of await loadFleets([folder, setup.inventory]))
        fleets.set(fleet.name, fleet);
    }
    return { setup, delays, close, stageOf: stages(setup, fleets) };
  } catch (error) {
    await close();
    throw error;
  }
}

function fleetsFor(drawn: readonly DrawnRun[]): readonly FleetOfRun[] {
  const names = [...new Set(drawn.map(({ situation }) => FLEETS[situation]))];
  return names.map((fleet) => ({
    ...{ fleet, forward: 'inPlace', soakSeconds: SOAK_SECONDS, rollout: {} },
    count: drawn.filter(({ situation }) => FLEETS[situation] === fleet).length,
    waits: fleet === 'waiting',
  }));
}

function stages(
  setup: ProductSetup,
  fleets: ReadonlyMap<string, Fleet>,
): (drawn: DrawnRun) => BrakeStage {
  const taken = new Set<string>();
  return ({ situation }) => {
    const fleet = fleets.get(FLEETS[situation]);
    const cluster = fleet?.clusters.find(({ name }) => !taken.has(name));
    const control = setup.controls.get(cluster?.name ?? '');
    if (fleet === undefined || cluster === undefined || control === undefined) {
      throw new Error('there are fewer clusters than runs');
    }
    taken.add(cluster.name);
    return { setup, settings: fleet, cluster, control };
  };
}

/** Worker and simulator say how late their event loops are. */
function probed(env: Environment, delays: string): Environment {
  const probe = compiledProgram('testbed', 'bench', 'brake', 'loop-delay-probe.js');
  const options = [env['NODE_OPTIONS'] ?? '', `--import=${probeUrl(probe, delays)}`]
    .join(' ')
    .trim();
  return { ...env, NODE_OPTIONS: options };
}
