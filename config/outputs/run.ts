import { z } from 'zod';
import { digest, finding, outputSchema, ownershipTotals, stepRecord, target } from './parts.js';

const outcome = z.object({
  kind: z.enum(['done', 'rolledBack', 'stopped', 'failed', 'refused']),
  target,
  summary: z.string(),
  clusterState: z.string(),
  nextCommand: z.string(),
  reversibility: z.string(),
  findings: z.array(finding),
  stepsDone: z.number(),
  orphanMs: z.number(),
  failureType: z.string().nullable(),
  workflowId: z.string(),
  runId: z.string(),
  cluster: z.string(),
  epoch: z.number(),
  guard: ownershipTotals.nullable(),
  evidence: z.object({ records: z.number(), head: z.string() }).nullable(),
  closing: z.string(),
});

const status = z.object({
  cluster: z.object({ name: z.string(), uid: z.string() }),
  target,
  because: z.string(),
  hold: z.enum(['none', 'pause', 'stop']),
  pause: z.enum(['none', 'pausing', 'paused']),
  activity: z.string(),
  phase: z.string(),
  step: z.object({ name: z.string(), node: z.string(), why: z.string() }).nullable(),
  owner: z.enum(['kcm', 'ccm', 'none', 'both', 'unknown']),
  trouble: z.string(),
  findings: z.array(finding),
  gates: z.array(
    z.object({
      gate: z.string(),
      hardness: z.enum(['hard', 'soft']),
      verdict: z.enum(['pass', 'inconclusive', 'noData', 'error', 'fail']),
      detail: z.string(),
      code: z.string(),
    }),
  ),
  stepsDone: z.array(stepRecord),
  orphanMs: z.number(),
  epoch: z.number(),
  nextCommand: z.string(),
  reversibility: z.string(),
  planDigest: digest,
});

/** One look at a run. Durations in ms, times in epoch ms. */
export const RunStatus = outputSchema('RunStatus', {
  workflowId: z.string(),
  runId: z.string(),
  execution: z.enum(['running', 'completed', 'failed', 'cancelled', 'terminated', 'timedOut']),
  startedAtMs: z.number(),
  closedAtMs: z.number().nullable(),
  historyEvents: z.number(),
  historyBytes: z.number().nullable(),
  actor: z.string(),
  reason: z.string(),
  status: status.nullable(),
  silence: z
    .object({ code: z.string(), detail: z.string() })
    .nullable()
    .optional()
    .meta({ description: 'Why a run that is open did not answer; null when it did.' }),
  outcome: outcome.nullable(),
});

export const RunList = outputSchema('RunList', {
  runs: z.array(
    z.object({
      workflowId: z.string(),
      runId: z.string(),
      cluster: z.string(),
      phase: z.string(),
      running: z.boolean(),
      startedAtMs: z.number(),
    }),
  ),
});

export const RunStarted = outputSchema('RunStarted', {
  workflowId: z.string(),
  runId: z.string(),
  cluster: z.string(),
  target,
  next: z.string(),
});

export const CommandResult = outputSchema('CommandResult', {
  cluster: z.string(),
  verb: z.string(),
  commandId: z.string(),
  state: z.enum(['applied', 'pending', 'refused', 'unanswered']),
  detail: z.string(),
});
