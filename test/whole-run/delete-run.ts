import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { eventually } from '../contract/eventually.js';
import { STORY_MS } from './one-cluster.js';

interface DeletedRun {
  readonly workflowId: string;
  readonly runId: string;
}

/** Deletes an execution from the server of `dev`, as an operator with rights on it would. */
export async function deleteRun(
  stateDir: string,
  { workflowId, runId }: DeletedRun,
): Promise<void> {
  const note = JSON.parse(await readFile(join(stateDir, 'server.json'), 'utf8')) as {
    readonly address: string;
  };
  const connection = await Connection.connect({ address: note.address });
  const client = new Client({ connection });
  await client.workflowService.deleteWorkflowExecution({
    ...{ namespace: 'default', workflowExecution: { workflowId, runId } },
  });
  await eventually(STORY_MS, async () => {
    const { count } = await client.workflow.count(`RunId='${runId}'`);
    return count === 0 ? 'gone' : null;
  });
  await connection.close();
}
