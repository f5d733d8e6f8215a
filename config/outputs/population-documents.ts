import { z } from 'zod';
import { outputSchema } from './parts.js';

const auditedRun = z.object({
  workflowId: z.string(),
  runId: z.string().meta({ description: 'Of the first execution.' }),
  cluster: z.string(),
  uid: z.string().meta({ description: 'Of the cluster.' }),
  target: z.string().meta({ description: 'ccm or kcm; empty where nothing was observed.' }),
  outcome: z.string().meta({
    description: 'As the run ended itself; `open`, or how the server calls what ended it.',
  }),
  actor: z.string().meta({ description: 'As claimed.' }),
  principal: z.string().meta({
    description: 'Who signed, by the evidence; empty without an export, or where no one did.',
  }),
  reason: z.string(),
  ticket: z.string(),
  startedAt: z.string(),
  endedAt: z.string().meta({ description: 'Empty while it is open.' }),
  epochs: z.array(z.number().int()).meta({ description: 'In which it took the fence.' }),
  listed: z.boolean().meta({ description: 'By the Temporal server.' }),
  exported: z.boolean(),
});

/** `audit list`. */
export const AuditedRunList = outputSchema('AuditedRunList', {
  runs: z.array(auditedRun),
  fleets: z
    .array(
      auditedRun
        .omit({ cluster: true, uid: true, target: true, principal: true, epochs: true })
        .extend({ fleet: z.string() }),
    )
    .meta({ description: 'Runs of fleets themselves; those of their clusters are in runs.' }),
  unread: z.number().int().meta({
    description:
      'How many of them have no export and were not read (--most): only what the server lists is told of these.',
  }),
});

/** `audit population`. */
export const AuditPopulation = outputSchema('AuditPopulation', {
  runs: z.array(auditedRun),
  gaps: z.array(
    z.object({
      kind: z.enum([
        'missingRun',
        'unprovenRun',
        'fenceFell',
        'takenTwice',
        'notExported',
        'deleted',
        'onlyInLog',
      ]),
      cluster: z.string(),
      runId: z.string().nullable(),
      detail: z.string(),
    }),
  ),
  refused: z.array(z.object({ file: z.string(), why: z.string() })).meta({
    description: 'Exports, and a log, that do not prove themselves, and files that are no export.',
  }),
  clusters: z
    .array(z.object({ cluster: z.string(), uid: z.string(), epoch: z.number().int() }))
    .meta({ description: 'With the epoch of their fences.' }),
  unread: z
    .array(z.string())
    .meta({ description: 'Clusters and runs that could not be read, and why.' }),
});

/** `audit reconcile`. */
export const AuditReconciliation = outputSchema('AuditReconciliation', {
  user: z.string(),
  faults: z.array(z.string()),
  matched: z.number().int().meta({ description: 'Writes that are on record.' }),
  renewals: z.number().int().meta({ description: 'Writes of the fence.' }),
  refused: z.number().int().meta({ description: 'Writes that the API server refused.' }),
});
