import { z } from 'zod';
import type { RolloutPolicy, RowPlan, WavePlan } from '../../domain/fleet/fleet-plan.js';
import { API_VERSION } from '../kinds/envelope.js';
import { maintenanceWindow } from '../kinds/maintenance-window.js';
import { plannedStep } from './migration-plan.js';
import { digest, finding, time } from './parts.js';
import { plannedPolicy, plannedTimings } from './planned-policy.js';

const MOST_CLUSTERS = 20_000;
const count = z.number().int().min(0);
const clusterCount = z
  .number()
  .int()
  .min(1)
  .max(2 * MOST_CLUSTERS);
const ms = z.number().int().min(0);
const share = z.number().min(0).max(100);
const startPolicy = z.enum(['skip', 'wait', 'fail']);
const name = z.string().min(1).max(253);
const relativePath = z.string().regex(/^[^/\\]/, 'must be a path from the folder of the plan');

/** Limits as a plan carries them. */
export const plannedRollout = z.strictObject({
  inFlight: clusterCount,
  unproven: clusterCount,
  caps: z.record(z.string().min(1), clusterCount),
  budget: z.strictObject({ clusters: clusterCount, counts: z.enum(['inFlight', 'untilProven']) }),
  slowStart: clusterCount,
  correlated: z.strictObject({ failures: clusterCount, sharePercent: share }),
  stalledForMs: ms,
  onFailure: z.enum(['hold', 'rollBack']),
  unreachable: startPolicy,
  busy: startPolicy,
  drifted: startPolicy,
  retryAfterMs: ms,
  approvalExpiryMs: ms,
  startAtMs: z.number().nullable(),
  deadlineMs: z.number().nullable(),
}) satisfies z.ZodType<RolloutPolicy>;

const wavePlan = z.strictObject({
  name,
  done: z.strictObject({ provenPercent: share, withinMs: ms }).nullable(),
  soakLimitMs: ms.nullable(),
  approvals: z.strictObject({ before: count, after: count }),
  approvers: z.array(name).nullable().meta({ description: 'Null for anyone but the requester.' }),
  scheduled: z.boolean(),
  rehearseRollback: z.boolean(),
}) satisfies z.ZodType<WavePlan>;

const plannedWave = z.strictObject({
  plan: wavePlan,
  policy: plannedPolicy,
  timings: plannedTimings,
  materials: z.strictObject({ ccmManifest: z.string().min(1) }),
  windows: z.array(maintenanceWindow),
  excludedDates: z.array(z.iso.date()),
});

const row = z.strictObject({
  name,
  wave: count,
  canary: z.boolean(),
  groups: z.array(z.string()),
  expectedMs: ms.meta({ description: 'Expected time of change, without the soak.' }),
}) satisfies z.ZodType<RowPlan>;

const plannedCluster = row.extend({
  uid: z.string().min(1),
  region: z.string().min(1),
  planDigest: digest.meta({ description: 'Its first observation must give the same.' }),
  shape: count,
});

const shape = z.strictObject({
  example: name.meta({ description: 'The cluster whose changes are shown.' }),
  clusters: z.array(name),
  steps: z.array(plannedStep),
});

const skipped = z.strictObject({
  name,
  wave: count,
  kind: z
    .enum(['unreachable', 'refused', 'blocked', 'preview', 'repeated', 'nothingToDo'])
    .meta({ description: 'nothingToDo: the CCM already runs its cloud controllers.' }),
  code: z.string().meta({ description: 'Empty where there is nothing to do.' }),
  seen: z.string(),
  fix: z.string(),
});

const lengths = { p50Ms: z.number(), p90Ms: z.number() };

const forecast = z.strictObject({
  ...lengths,
  budgetCost: z.number().nullable().meta({
    description: 'How many times longer the failure budget makes it; null when it stops the fleet.',
  }),
  unfinished: count,
  waves: z.array(z.strictObject(lengths)).meta({ description: 'When each ends, from the start.' }),
});

/**
 * What `plan` writes for several clusters and `apply` reads back. The digest covers all that decides their runs; shapes,
 * totals and forecast are for display only. Strict, as the plan of one cluster is.
 */
export const FleetPlanDocument = z
  .strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal('FleetPlan'),
    digest,
    createdAt: time,
    tool: z.string(),
    fleet: name,
    files: z
      .array(relativePath)
      .meta({ description: 'The -f arguments of `plan`, relative to the folder of the plan.' }),
    rollout: plannedRollout,
    waves: z.array(plannedWave).min(1),
    clusters: z.array(plannedCluster).meta({ description: 'Those that migrate, in order.' }),
    skipped: z.array(skipped),
    notes: z.array(z.string()).meta({ description: 'What differs from the files, and why.' }),
    shapes: z
      .array(shape)
      .meta({ description: 'Clusters with the same steps and changes, shown once.' }),
    findings: z
      .array(z.strictObject({ finding, clusters: z.array(name) }))
      .meta({ description: 'What does not stand in the way, grouped.' }),
    totals: z.strictObject({
      clusters: count,
      steps: count,
      machinesCreated: count,
      machinesDeleted: count,
    }),
    forecast,
  })
  .meta({ title: 'FleetPlan' });

export type FleetPlanDocument = z.output<typeof FleetPlanDocument>;
