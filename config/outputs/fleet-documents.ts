import { z } from 'zod';
import { outputSchema } from './parts.js';

export const FleetStarted = outputSchema('FleetStarted', {
  fleet: z.string(),
  workflowId: z.string(),
  runId: z.string().meta({ description: 'Of the first execution: it names the run.' }),
  clusters: z.number().int(),
  next: z.string(),
});
