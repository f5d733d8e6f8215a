import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { CLUSTER_MIGRATION } from '../../config/names.js';
import type { Cli } from '../cli.js';
import type { KeptServer } from '../processes/kept-server.js';
import { withServer } from '../runs/connection.js';
import { CLUSTER } from '../runs/find-run.js';
import { exportRun, exportText } from './export-run.js';

export interface ExportPlace {
  readonly server: Pick<KeptServer, 'address' | 'namespace'>;
  /** State folder: evidence in `worker/`, exports go to `exports/`. */
  readonly root: string;
  readonly report: (line: string) => void;
}

const LOOK_EVERY_MS = 10_000;

/** Until the command is interrupted: writes the export of each run that has ended, once. Retention then takes nothing. */
export async function exportClosedRuns(cli: Cli, place: ExportPlace): Promise<void> {
  const { address, namespace } = place.server;
  await withServer({ address, namespace, source: 'dev', found: false }, cli.env, async (client) => {
    while (!cli.signal.aborted) {
      await exportOnce(client, place).catch((error: unknown) => {
        place.report(
          `exports have to wait: ${error instanceof Error ? error.message : String(error)}`,
        );
      });
      await sleep(LOOK_EVERY_MS, undefined, { signal: cli.signal }).catch(() => undefined);
    }
    // What ended since the last look.
    await exportOnce(client, place).catch(() => undefined);
  });
}

async function exportOnce(client: Client, { root, report }: ExportPlace): Promise<void> {
  // One that went on as a new execution has not ended: the last one's export holds all of them.
  const ended = ['Running', 'ContinuedAsNew'].map((status) => `ExecutionStatus!='${status}'`);
  const query = [`WorkflowType='${CLUSTER_MIGRATION}'`, ...ended].join(' AND ');
  await mkdir(join(root, 'exports'), { recursive: true });
  for await (const { workflowId, runId, typedSearchAttributes } of client.workflow.list({
    query,
  })) {
    const file = join(root, 'exports', `${runId}.json`);
    if (await exists(file)) continue;
    const content = await exportRun(client, {
      ...{ workflowId, runId, evidenceDir: join(root, 'worker') },
      cluster: typedSearchAttributes.get(CLUSTER) ?? '',
    });
    await writeFile(`${file}.new`, exportText(content), { mode: 0o600 });
    await rename(`${file}.new`, file);
    report(`exported ${workflowId}: ${file}`);
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
