import { z } from 'zod';
import { digest, outputSchema, time } from './parts.js';
import { exportedExecutions } from './report-documents.js';

/**
 * The run of one fleet, complete: who asked for it, approved its waves and gave it commands. What was done to its clusters is in
 * the exports of their runs.
 */
export const FleetAuditExport = outputSchema('FleetAuditExport', {
  exportedAt: time,
  tool: z.string(),
  workflowId: z.string(),
  runId: z.string().meta({ description: 'Of the first execution: it names the run.' }),
  fleet: z.string(),
  executions: exportedExecutions,
  digest: digest.meta({ description: 'Of all other members.' }),
});

export type FleetAuditExport = z.output<typeof FleetAuditExport>;
