import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { CLUSTER_MIGRATION } from '../../../config/names.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import { mustRun } from '../../../devserver/run-program.js';
import { numberOf, valueAt } from '../../base/json.js';

const AT_MOST = 20;

/** Mean processor time of one replay of a cluster's closed history, in ms; null where none is closed. */
export async function replayMs(client: Client): Promise<number | null> {
  const query = `WorkflowType = "${CLUSTER_MIGRATION}" AND ExecutionStatus = "Completed"`;
  const histories: { workflowId: string; history: unknown }[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query, pageSize: AT_MOST })) {
    if (histories.length === AT_MOST) break;
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.push({ workflowId, history: JSON.parse(historyToJSON(history)) as unknown });
  }
  if (histories.length === 0) return null;
  const program = compiledProgram('testbed', 'bench', 'simulated', 'replay-time.js');
  const told = await mustRun(process.execPath, [program], { input: JSON.stringify(histories) });
  return numberOf(valueAt(JSON.parse(told), 'ms'), Number.NaN);
}
