import { startChild, type Child } from '../../../devserver/processes/child.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import type { Environment } from '../../../devserver/process-environment.js';
import type { FleetParameters } from './drawn-fleet.js';

/** The input of the worker of the model, as JSON on its command line. */
export interface ModelWorkerSettings {
  readonly address: string;
  readonly namespace: string;
  /** File with the journal; a restarted worker continues it. */
  readonly journal: string;
  readonly parameters: FleetParameters;
}

const READY_WITHIN_MS = 120_000;

/** Starts the worker of the model as a separate process and waits until it is ready. */
export async function startModelWorker(
  settings: ModelWorkerSettings,
  launch: { readonly logFile: string; readonly env: Environment },
): Promise<Child> {
  const child = await startChild({
    name: 'model worker',
    program: compiledProgram('testbed', 'bench', 'fleet', 'model-worker.js'),
    arguments: [JSON.stringify(settings)],
    ...launch,
  });
  try {
    await child.line((line) => (line === '{"ready":true}' ? line : null), READY_WITHIN_MS);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}
