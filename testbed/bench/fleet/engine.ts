import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DATA_CONVERTER } from '../../../config/data-converter.js';
import { findTemporalCli } from '../../../devserver/find-temporal-cli.js';
import { keepAlive } from '../../../devserver/processes/keep-alive.js';
import { keepServer } from '../../../devserver/processes/kept-server.js';
import type { Environment } from '../../../devserver/process-environment.js';
import type { FleetParameters } from './drawn-fleet.js';
import { startModelWorker } from './model-worker-process.js';

export interface EngineContext {
  readonly env: Environment;
  readonly report: (line: string) => void;
  /** Keeps database, logs and journal here; a folder that is removed afterwards unless given. */
  readonly folder: string | null;
}

/** A Temporal server and a worker of the model, each a process that is started again when it dies. */
export interface Engine {
  readonly client: Client;
  readonly journal: string;
  readonly pids: () => { readonly server: number; readonly worker: number };
  readonly close: () => Promise<void>;
}

/** When it rejects, nothing is left running. */
export async function openEngine(
  parameters: FleetParameters,
  { env, report, folder: given }: EngineContext,
): Promise<Engine> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'ccm-migrate-bench-')));
  const journal = join(folder, 'journal.jsonl');
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closing.reverse()) await each();
    if (given === null) await rm(folder, { recursive: true, force: true });
  };
  try {
    const { path: cliPath } = await findTemporalCli({ env, report });
    const files = { dbFile: join(folder, 'temporal.db'), logFile: join(folder, 'server.log') };
    const server = await keepServer({ cliPath, ...files }, report);
    closing.push(() => server.stop());
    const { address, namespace } = server;
    const settings = { address, namespace, journal, parameters };
    const launch = { env, logFile: join(folder, 'worker.log') };
    const worker = await keepAlive(() => startModelWorker(settings, launch), report);
    closing.push(() => worker.stop());
    const connection = await Connection.connect({ address });
    closing.push(() => connection.close());
    return {
      client: new Client({ connection, namespace, dataConverter: DATA_CONVERTER }),
      journal,
      pids: () => ({ server: server.pid(), worker: worker.current().pid }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
