import { z } from 'zod';
import { change, digest, finding, outputSchema, target, time } from './parts.js';

/** What `plan` writes and `apply` reads back. The digest covers all that decides; steps are shown, not obeyed. */
export const MigrationPlan = outputSchema('MigrationPlan', {
  digest,
  createdAt: time,
  tool: z.string(),
  cluster: z.object({ name: z.string(), uid: z.string(), region: z.string() }),
  fleet: z.string(),
  target,
  inventoryFile: z.string(),
  policy: z.looseObject({}),
  timings: z.record(z.string(), z.number()),
  materials: z.object({ ccmManifest: z.string() }),
  observation: z
    .looseObject({})
    .meta({ description: 'The cluster without Leases, holders and times.' }),
  observationDigest: digest.meta({ description: 'What a waiver in the policy is bound to.' }),
  findings: z.array(finding),
  steps: z.array(
    z.object({
      number: z.number().int().min(1),
      name: z.string(),
      phase: z.string(),
      node: z.string(),
      why: z.string(),
      changes: z.array(change),
    }),
  ),
  ending: z.object({ kind: z.enum(['done', 'blocked', 'step']), findings: z.array(finding) }),
});

export type MigrationPlan = z.output<typeof MigrationPlan>;
