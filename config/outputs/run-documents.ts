import { z } from 'zod';
import {
  digest,
  finding,
  gateVerdict,
  outputSchema,
  ownershipTotals,
  gateNotes,
  stepRecord,
  target,
} from './parts.js';

const command = z.string().meta({ description: 'Can be pasted unchanged; add -f where it plans.' });
const who = z.object({ actor: z.string(), reason: z.string() });
const stepText = z.object({ name: z.string(), node: z.string(), why: z.string() });
const sinceMs = z
  .number()
  .nullable()
  .meta({ description: 'Start of the current activity or wait.' });

/** How an open run reaches its cluster. Times in epoch ms. */
const contact = z.object({
  seen: z
    .object({
      atMs: z
        .number()
        .meta({ description: 'Of the last successful observation; it dates the other members.' }),
      owner: z.enum(['kcm', 'ccm', 'none', 'both', 'unknown']),
      nodes: z.array(z.string()),
      away: z.array(z.string()).meta({ description: 'Nodes that did not answer.' }),
      ownership: ownershipTotals,
    })
    .nullable()
    .meta({ description: 'The last observation of the guard; null before its first.' }),
  outage: z
    .object({
      sinceMs: z.number(),
      attempts: z.number(),
      error: z.string(),
      nextTryAtMs: z.number().nullable(),
    })
    .nullable()
    .meta({ description: 'Null while the cluster is answering.' }),
  guardQueuedMs: z
    .number()
    .nullable()
    .optional()
    .meta({ description: 'Since when the guard waits for a worker with room for it.' }),
});

const outcome = z.object({
  kind: z.enum(['done', 'rolledBack', 'stopped', 'failed', 'refused']),
  target,
  summary: z.string(),
  clusterState: z.string(),
  nextCommand: command,
  otherCommands: z.array(command).optional(),
  reversibility: z.string(),
  findings: z.array(finding),
  notes: gateNotes,
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
  targetReason: z.string(),
  hold: z.enum(['none', 'pause', 'stop']),
  pause: z.enum(['none', 'pausing', 'paused']),
  inFlight: z.string(),
  pausedBy: who.nullable().optional(),
  alertPause: who.extend({ holds: z.boolean() }).nullable().optional().meta({
    description:
      'The pause of an alert. `holds`: not while the run rolls back, which it lets go on. Null without one.',
  }),
  parkedBy: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'The fleet that has taken its slot back; null unless it is parked.' }),
  requestedBy: who.optional().meta({ description: 'Who requested the current target.' }),
  phase: z.string(),
  step: stepText.nullable(),
  nextStep: stepText.extend({ phase: z.string() }).nullable().optional(),
  owner: z.enum(['kcm', 'ccm', 'none', 'both', 'unknown']),
  holdReason: z.string(),
  findings: z.array(finding),
  gates: z.array(gateVerdict),
  notes: gateNotes,
  rollsBackAtMs: z.number().optional().meta({
    description:
      'When the run rolls back by itself unless a person decides; absent where it does not.',
  }),
  stepsDone: z.array(stepRecord),
  orphanMs: z.number(),
  epoch: z.number(),
  sinceMs: sinceMs.optional(),
  advice: z.string().optional(),
  nextCommand: command,
  otherCommands: z.array(command).optional(),
  reversibility: z.string(),
  planDigest: digest,
});

/** The status of a run. Durations in ms, times in epoch ms. */
export const RunStatusDocument = outputSchema('RunStatus', {
  workflowId: z.string(),
  runId: z.string(),
  execution: z.enum(['running', 'completed', 'failed', 'cancelled', 'terminated', 'timedOut']),
  startedAtMs: z.number(),
  closedAtMs: z.number().nullable(),
  historyEvents: z.number(),
  historyBytes: z.number().nullable(),
  actor: z.string(),
  reason: z.string(),
  cluster: z.string().optional(),
  files: z.array(z.string()).optional(),
  status: status.nullable(),
  contact: contact.nullable().optional(),
  silence: z
    .object({ code: z.string(), detail: z.string() })
    .nullable()
    .optional()
    .meta({ description: 'Why an open run did not answer; null when it did.' }),
  outcome: outcome.nullable(),
  outcomeUnread: z.string().optional().meta({
    description: 'Why the outcome of an ended run cannot be read here; empty where it can.',
  }),
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
      closedAtMs: z.number().nullable().optional(),
      state: z.string().optional().meta({ description: 'As shown to people: Held, Completed, …' }),
      outcome: z.string().nullable().optional(),
      pausedBy: who.nullable().optional(),
      sinceMs: sinceMs.optional(),
      holdsFor: z.array(z.string()).optional(),
      contact: contact.nullable().optional(),
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
  state: z.enum(['applied', 'pending', 'refused', 'unanswered', 'nothingToDo']).meta({
    description:
      '`nothingToDo`: the cluster is as it would be afterwards; nothing was sent or started.',
  }),
  detail: z.string(),
});

/** A verb that went on in the background. */
export const BackgroundStarted = outputSchema('BackgroundStarted', {
  verb: z.string(),
  pid: z.number().int().meta({ description: 'SIGTERM ends it.' }),
  logFile: z.string(),
});
