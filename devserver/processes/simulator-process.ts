import { compiledProgram } from '../package-files.js';
import type { Child, ChildLaunch } from './child.js';
import { startChild } from './child.js';

export interface SimulatorSettings {
  /** 0: a free port. */
  readonly port: number;
  /** `sim-1`, `sim-2`, …; one when absent. */
  readonly clusters?: number | null;
  /** A file that describes groups of clusters, instead of a number. */
  readonly shape?: string | null;
  readonly nodes: number;
  readonly preset: string;
  readonly seed: number;
  readonly speed: number;
  /** Versions of managers and kubelets, and of the API servers, without `v`. */
  readonly from: string;
  readonly to: string;
  /** Where kubeconfigs and inventory are written. */
  readonly stateDir: string;
}

export interface SimulatorProcess {
  readonly child: Child;
  /** Where all its clusters are served. */
  readonly url: string;
  readonly inventoryPath: string;
  readonly kubeconfigs: Readonly<Record<string, string>>;
}

const READY_WITHIN_MS = 60_000;

/** Starts the simulator as a separate process and waits until it is ready. */
export async function startSimulatorProcess(
  settings: SimulatorSettings,
  launch: ChildLaunch,
): Promise<SimulatorProcess> {
  const child = await startChild({
    name: 'simulator',
    program: SIMULATOR,
    arguments: simulatorArguments(settings),
    ...launch,
  });
  try {
    const ready = await child.line(readyLine, READY_WITHIN_MS);
    const { url, inventory, kubeconfigs } = ready;
    return { child, url, inventoryPath: inventory, kubeconfigs };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

export const SIMULATOR = compiledProgram('testbed', 'simulator', 'main.js');

export function simulatorArguments(settings: SimulatorSettings): readonly string[] {
  const {
    port,
    clusters = null,
    shape = null,
    nodes,
    preset,
    seed,
    speed,
    from,
    to,
    stateDir,
  } = settings;
  // Without --port it takes a free one.
  const flags = {
    ...(port > 0 ? { port } : {}),
    ...(clusters === null ? {} : { clusters }),
    ...(shape === null ? {} : { shape }),
    nodes,
    preset,
    seed,
    speed,
    from,
    to,
    'state-dir': stateDir,
  };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

interface Ready {
  readonly url: string;
  readonly inventory: string;
  readonly kubeconfigs: Readonly<Record<string, string>>;
}

function readyLine(line: string): Ready | null {
  if (!line.startsWith('{"ready":true')) return null;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the line that testbed/simulator/main.ts promises
  return JSON.parse(line) as Ready;
}
