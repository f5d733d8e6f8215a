import { z } from 'zod';
import { outputSchema } from './parts.js';

export const FleetStarted = outputSchema('FleetStarted', {
  fleet: z.string(),
  workflowId: z.string(),
  runId: z.string().meta({ description: 'Of the first execution: it names the run.' }),
  clusters: z.number().int(),
  next: z.string(),
});

const command = z.string().meta({ description: 'Can be pasted unchanged.' });
const counts = z
  .record(z.string(), z.number().int())
  .meta({ description: 'Clusters by phase: waiting, active, soaking, proven, …' });
const atMs = z.number().meta({ description: 'Epoch ms.' });

const need = z.object({
  kind: z.string().meta({ description: 'held, failed, approval, budget, paused, …' }),
  sinceMs: z.number().nullable(),
  subject: z.string(),
  why: z.string(),
  who: z.string().meta({ description: 'Who may act; empty for anyone.' }),
  names: z.array(z.string()),
  command,
  others: z.array(command),
});

const limits = z.object({
  moving: z.number(),
  turning: z.number(),
  inFlight: z.number(),
  inFlightNow: z.number(),
  unproven: z.number(),
  unprovenLimit: z.number(),
  burnt: z.number(),
  atRisk: z.number(),
  budget: z.number(),
  caps: z.array(
    z.object({
      ...{ group: z.string(), moving: z.number() },
      others: z.number().nullable().meta({
        description:
          'Runs that are not of this fleet; null where they have not been counted lately.',
      }),
      cap: z.number(),
    }),
  ),
  unlabelled: z.number().meta({
    description: 'Open runs of an older version that do not say their labels: no cap counts them.',
  }),
});

const group = z.object({
  wave: z.string(),
  phase: z.string(),
  target: z.enum(['ccm', 'kcm']),
  rollbackQueued: z.boolean(),
  rehearses: z.boolean().meta({
    description: 'Canaries that go back only to go forward again, or do that.',
  }),
  cause: z.string(),
  signature: z.string(),
  sinceMs: atMs,
  waitsFor: z.string().nullable(),
  waitText: z.string(),
  clusters: z.array(z.string()),
});

const rest = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('known'),
      fromMs: atMs.meta({ description: 'From here on the two lengths are counted. Epoch ms.' }),
      p50Ms: z.number(),
      p90Ms: z.number(),
      afterPeople: z.boolean().meta({
        description: 'Nothing goes on without a person: the lengths begin only then.',
      }),
      changes: z.number().int().meta({
        description:
          'Changes of clusters measured so far. Below 5 the plan says how long they take.',
      }),
      soaks: z.number().int(),
      approvals: z.boolean().meta({
        description: 'Approvals are still to be given, and their time is not in it.',
      }),
    }),
    z.object({
      kind: z.literal('unknown'),
      why: z.enum(['input', 'slow', 'unfinished']),
      unfinished: z.number().int().meta({ description: 'Clusters that may not end.' }),
    }),
  ])
  .nullable()
  .meta({ description: 'When the fleet ends. Null when it is over or stopping, and in `get`.' });

const status = z.object({
  requester: z.string(),
  planDigest: z.string(),
  revision: z.number().int(),
  beganMs: atMs,
  asOfMs: atMs.meta({ description: 'The last event that the fleet has taken.' }),
  standing: z.enum([
    ...(['progressing', 'held', 'waiting', 'paused', 'frozen'] as const),
    ...(['stopping', 'stopped', 'done'] as const),
  ]),
  counts,
  needs: z.array(need),
  limits,
  reversible: z.object({
    can: z.number(),
    later: z.array(z.string()).meta({
      description: 'Blocked by something that can pass; a rollback waits for it.',
    }),
    cannot: z.array(z.string()),
    unknown: z.number(),
  }),
  next: z.object({ kind: z.string(), atMs, subject: z.string() }).nullable(),
  forecast: rest,
  waves: z.array(
    z.object({
      name: z.string(),
      clusters: z.number().int(),
      counts,
      standing: z.string(),
      standingText: z.string(),
    }),
  ),
  groups: z.array(group),
});

/** Where a fleet is. Without an answer of its worker `status` is null, and nothing is claimed. */
export const FleetStatusDocument = outputSchema('FleetStatus', {
  fleet: z.string(),
  workflowId: z.string(),
  runId: z.string(),
  execution: z.enum(['running', 'completed', 'failed', 'cancelled', 'terminated', 'timedOut']),
  startedAtMs: atMs,
  closedAtMs: atMs.nullable(),
  actor: z.string(),
  reason: z.string(),
  historyEvents: z.number(),
  silence: z.object({ code: z.string(), detail: z.string() }).nullable(),
  visible: z
    .object({
      phases: z.record(z.string(), z.number().int()),
      untaken: z.number().int().meta({ description: 'Open runs that no worker has taken yet.' }),
      paused: z.number().int(),
      outcomes: z.record(z.string(), z.number().int()),
      withoutOutcome: z.number().int().meta({ description: 'Closed: terminated, for example.' }),
    })
    .nullable()
    .meta({
      description:
        'Runs counted by the search index of the server, which lags. Null where the fleet answers, or where its runs cannot be told from older ones.',
    }),
  status: status.nullable(),
});

export const FleetCommandResult = outputSchema('FleetCommandResult', {
  fleet: z.string(),
  scope: z.string(),
  verb: z.string(),
  commandId: z.string(),
  state: z.enum(['applied', 'pending', 'refused', 'unanswered', 'nothingToDo']).meta({
    description:
      '`nothingToDo`: every cluster is as it would be afterwards; nothing was sent or started.',
  }),
  detail: z.string(),
  applied: z.number().int().meta({ description: 'Clusters to which it applies.' }),
  refused: z.number().int().meta({ description: 'Clusters to which it does not apply.' }),
  reach: z
    .object({
      unreached: z
        .array(z.string())
        .meta({ description: 'The first of them. They are told again until reached or ended.' }),
      unreachedCount: z.number().int(),
      waiting: z.number().int().meta({ description: 'Runs that are still to be told.' }),
    })
    .nullable()
    .meta({ description: 'Whom it has not reached; null where that is not known.' }),
});

/** `freeze --all` and `unfreeze --all`. */
export const FreezeResult = outputSchema('FreezeResult', {
  verb: z.enum(['freeze', 'unfreeze']),
  settled: z.boolean().meta({ description: 'Whether the last listing brought nothing new.' }),
  told: z.array(
    z.object({
      kind: z.enum(['fleet', 'cluster']),
      workflowId: z.string(),
      name: z.string(),
      state: z.enum(['done', 'ended', 'left', 'unanswered', 'refused', 'failed']),
      detail: z.string(),
      untold: z
        .number()
        .int()
        .meta({ description: 'Runs of a fleet that could not be told, or are still to be.' }),
    }),
  ),
});

const forecast = z.object({
  p50Ms: z.number(),
  p90Ms: z.number(),
  budgetCost: z.number().nullable(),
  unfinished: z.number(),
});

/** What is left of a fleet with its limits, and with others. */
export const FleetForecast = outputSchema('FleetForecast', {
  fleet: z.string(),
  inFlight: z.number().nullable(),
  unproven: z.number().nullable(),
  now: forecast,
  then: forecast,
});

/** Clusters, waves or approvals of a fleet, as lists. */
export const FleetClusterList = outputSchema('FleetClusterList', {
  fleet: z.string(),
  clusters: z.array(
    z.object({
      name: z.string(),
      wave: z.string(),
      phase: z.string(),
      target: z.enum(['ccm', 'kcm']),
      canary: z.boolean(),
      labels: z.array(z.string()),
      sinceMs: atMs,
      cause: z.string(),
      signature: z.string(),
      waitsFor: z.string().nullable(),
      waitText: z.string(),
      reversibility: z.enum(['unknown', 'yes', 'notes', 'no']),
    }),
  ),
});
