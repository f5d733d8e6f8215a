import { z } from 'zod';
import { outputSchema } from './parts.js';
import { auditChecks } from './report-documents.js';

const at = z.string().meta({ description: 'ISO 8601, UTC; empty where it is not said.' });

const known = z.object({
  how: z.enum(['signed', 'forged', 'unchecked', 'stamped', 'claimed']).meta({
    description:
      'signed: with a key of a principal of --trust. forged: signed, and that proves nothing under --trust. unchecked: signed, and no --trust was given. stamped: the Temporal server knows who sent it. claimed: the sender says so.',
  }),
  principal: z.string().meta({
    description: 'Whose key signed; without --trust, whom the evidence names. Empty otherwise.',
  }),
  role: z.string().meta({ description: 'By which it was accepted, as the evidence says.' }),
  key: z.string().meta({ description: 'Digest of the key that signed; empty without one.' }),
  server: z.string().meta({ description: 'Principal that the Temporal server stamped on it.' }),
  client: z.string().meta({ description: 'How the sending program calls itself to the server.' }),
  doubt: z.string().meta({ description: 'What contradicts it; empty where nothing does.' }),
});

const answer = z
  .object({
    state: z.enum(['applied', 'refused', 'pending', 'unsaid']).meta({
      description:
        'applied: the rule took it. refused: it did not, though its sender may ask. pending: it waited for a safe point. unsaid: nothing on record says, as of a run that has not reported its end.',
    }),
    detail: z.string().meta({ description: 'In its words: what it did, or why not.' }),
  })
  .meta({ description: 'What the run or fleet says that it made of a command. No one signs it.' });

const request = z.object({
  at,
  verb: z.string().meta({
    description:
      'apply starts the run; the others are commands, orders of a fleet, and what ended it from outside.',
  }),
  subject: z.string().meta({ description: 'Code of the finding or gate that is meant.' }),
  actor: z.string().meta({ description: 'As claimed.' }),
  known,
  reason: z.string(),
  ticket: z.string(),
  verdict: z.enum(['accepted', 'refused', 'unsaid']).meta({
    description: 'Of a worker, on whether its sender may; unsaid where no worker was asked.',
  }),
  detail: z.string().meta({ description: 'Why it was refused.' }),
  answer,
});

const change = z.object({
  at,
  verb: z.string(),
  object: z.string(),
  before: z.string().meta({ description: 'Digest; empty where there was nothing.' }),
  after: z.string().meta({ description: 'Digest; empty where nothing is left.' }),
  diff: z.string().meta({
    description:
      'Unified diff without secrets; empty where the evidence shows nothing: copies, removed files, processes, older workers.',
  }),
  outcome: z.enum(['applied', 'refused', 'foundApplied', 'foundNotApplied', 'open']),
  detail: z.string(),
  proof: z.string().meta({ description: 'Of a release: that its holder is gone.' }),
});

const step = z.object({
  at,
  endedAt: at,
  name: z.string(),
  node: z.string(),
  epoch: z.number().nullable(),
  why: z.string().meta({ description: 'Of the decision that named it.' }),
  outcome: z.enum(['done', 'failed', 'open']),
  detail: z.string().meta({ description: 'What it proved, or why it failed.' }),
  changes: z.array(change),
});

const event = z.object({
  at,
  kind: z.enum([
    ...(['held', 'breach', 'blocked', 'waits', 'failed'] as const),
    ...(['approved', 'waived', 'acknowledged', 'passed', 'turned'] as const),
  ]),
  subject: z.string().meta({ description: 'Gate, approval, activity or target.' }),
  code: z.string(),
  detail: z.string(),
});

const account = z.object({
  ...{ file: z.string(), workflowId: z.string(), runId: z.string(), cluster: z.string() },
  ...{ uid: z.string(), fleet: z.string(), target: z.string(), outcome: z.string() },
  summary: z.string().meta({ description: 'How it ended, as it said itself.' }),
  clusterState: z.string().meta({ description: 'As last observed, as it said itself.' }),
  ...{ startedAt: at, endedAt: at, ticket: z.string() },
  ...{ plan: z.string(), policy: z.string() },
  builds: z.array(z.string()).meta({ description: 'Digests of the code that decided.' }),
  accessPolicies: z.array(z.string()).meta({
    description:
      'Digests of the files with the AccessPolicy by which requests were judged, in order of time; of older workers none.',
  }),
  requests: z.array(request).meta({ description: 'In order of time; the first one started it.' }),
  steps: z.array(step).meta({ description: 'Each activity that may change something.' }),
  unplaced: z.array(change).meta({
    description: 'Changes in the evidence that the history gives to no step.',
  }),
  events: z.array(event).meta({ description: 'What held the run, and what let it go on.' }),
  unread: z.array(z.string()).meta({ description: 'What the account lacks, and why.' }),
});

const fleetAccount = z.object({
  ...{ file: z.string(), workflowId: z.string(), runId: z.string(), fleet: z.string() },
  outcome: z.string(),
  counts: z.record(z.string(), z.number()).meta({ description: 'Clusters by how they ended.' }),
  ...{ startedAt: at, endedAt: at, ticket: z.string() },
  plan: z.string().meta({ description: 'Digest of its last plan.' }),
  revision: z.number().meta({ description: 'Of its last plan; 1 without another one.' }),
  waves: z.array(
    z.object({
      name: z.string(),
      clusters: z.number(),
      demanded: z.number().meta({ description: 'How many people had to approve it first.' }),
      firstStartAt: at,
    }),
  ),
  requests: z.array(request).meta({
    description: 'Its start, new plans and commands, in order of time.',
  }),
  starts: z
    .array(z.object({ at, wave: z.string(), target: z.string(), clusters: z.array(z.string()) }))
    .meta({ description: 'Runs of clusters that it asked for, by wave and target.' }),
  unread: z.array(z.string()).meta({ description: 'What the account lacks, and why.' }),
});

/** `audit show`: runs as their exports tell of them, each with the checks of `audit verify`. */
export const AuditAccount = outputSchema('AuditAccount', {
  trust: z.string().meta({ description: 'The access policy that was trusted; empty without one.' }),
  runs: z.array(
    z.object({
      file: z.string(),
      account: account.nullable().meta({ description: 'Null where the file is no export.' }),
      passed: z.boolean(),
      checks: auditChecks,
    }),
  ),
  fleets: z.array(
    z.object({
      file: z.string(),
      account: fleetAccount.nullable().meta({ description: 'Null where the file is no export.' }),
      passed: z.boolean(),
      checks: auditChecks,
    }),
  ),
});

export type RunAccount = z.output<typeof account>;
export type FleetAccount = z.output<typeof fleetAccount>;
export type AccountKnown = z.output<typeof known>;
export type AccountAnswer = z.output<typeof answer>;
export type AccountRequest = z.output<typeof request>;
export type AccountChange = z.output<typeof change>;
export type AccountStep = z.output<typeof step>;
export type AccountEvent = z.output<typeof event>;
