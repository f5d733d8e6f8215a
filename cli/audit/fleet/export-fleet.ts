import type { Client } from '@temporalio/client';
import { API_VERSION } from '../../../config/kinds/envelope.js';
import { fleetNameIn } from '../../../config/names.js';
import type { FleetAuditExport } from '../../../config/outputs/fleet-audit-export.js';
import { digestJson } from '../../../domain/digest.js';
import { toolVersion } from '../../tool-version.js';
import { asPlain, executionsOf } from '../export-run.js';

/** Everything about one run of a fleet that an audit needs, in one document. `runId`: of any of its executions. */
export async function exportFleet(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
): Promise<FleetAuditExport> {
  const executions = await executionsOf(client, { workflowId, runId });
  const plain = asPlain({
    apiVersion: API_VERSION,
    kind: 'FleetAuditExport' as const,
    exportedAt: new Date().toISOString(),
    tool: await toolVersion(),
    ...{ workflowId, runId: executions[0].runId },
    fleet: fleetNameIn(workflowId),
    executions,
  });
  return { ...plain, digest: digestJson(plain) };
}
