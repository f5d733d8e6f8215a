import { z } from 'zod';
import { API_VERSION } from '../kinds/envelope.js';
import { change, digest, finding, target, time } from './parts.js';
import { plannedPolicy, plannedTimings } from './planned-policy.js';

export const plannedStep = z.object({
  number: z.number().int().min(1),
  name: z.string(),
  phase: z.string(),
  node: z.string(),
  why: z.string(),
  changes: z.array(change),
});

/**
 * What `plan` writes and `apply` reads back. The digest covers all decision input; steps are for display only. Strict, unlike
 * documents that only others read: a plan of another version must not run with unknown or missing parts.
 */
export const MigrationPlan = z
  .strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal('MigrationPlan'),
    digest,
    createdAt: time,
    tool: z.string(),
    cluster: z.strictObject({
      name: z.string().min(1),
      uid: z.string().min(1),
      region: z.string().min(1),
    }),
    fleet: z.string(),
    target,
    inventoryFile: z
      .string()
      .regex(/^[^/\\]/, 'must be a path from the folder of the plan')
      .meta({ description: 'From the folder of the plan, never absolute.' }),
    files: z
      .array(z.string().regex(/^[^/\\]/, 'must be a path from the folder of the plan'))
      .optional()
      .meta({ description: 'The -f arguments of `plan`, relative to the folder of the plan.' }),
    policy: plannedPolicy,
    timings: plannedTimings,
    materials: z.strictObject({ ccmManifest: z.string().min(1) }),
    observation: z
      .looseObject({})
      .meta({ description: 'The cluster without Leases, holders and times.' }),
    observationDigest: digest.meta({
      description: 'The digest that a waiver in the policy is bound to.',
    }),
    notChecked: z.array(z.string()).meta({
      description:
        'What is inferred in a preview without node access; such a plan cannot be applied.',
    }),
    findings: z.array(finding),
    steps: z.array(plannedStep),
    ending: z.object({ kind: z.enum(['done', 'blocked', 'step']), findings: z.array(finding) }),
  })
  .meta({ title: 'MigrationPlan' });

export type MigrationPlan = z.output<typeof MigrationPlan>;
