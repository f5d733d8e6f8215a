import { z } from 'zod';
import {
  digest,
  finding,
  gateVerdict,
  outputSchema,
  ownershipTotals,
  problem,
  target,
  time,
} from './parts.js';

export const LintReport = outputSchema('LintReport', {
  documents: z.number().int(),
  fleets: z.number().int(),
  problems: z.array(problem),
  warnings: z.array(problem).meta({
    description:
      'Worth knowing and not wrong, such as a date that has passed. They change no exit code.',
  }),
});

export const CheckReport = outputSchema('CheckReport', {
  cluster: z.object({ name: z.string(), uid: z.string() }),
  observationDigest: digest,
  notChecked: z.array(z.string()).meta({
    description: 'Without node access: what is inferred. Such a check never ends as all clear.',
  }),
  checks: z
    .array(
      z.object({
        section: z.string(),
        name: z.string(),
        codes: z.array(z.string()),
        result: z.enum(['passed', 'presumed', 'found', 'notChecked']),
      }),
    )
    .meta({ description: 'Every check, including those that found nothing.' }),
  findings: z.array(finding),
});

const clusterNames = z.array(z.string());
const count = z.number().int();

/** `check` of several clusters. */
export const FleetCheckReport = outputSchema('FleetCheckReport', {
  fleet: z.string(),
  clusters: z.array(
    z.object({
      name: z.string(),
      wave: z.string(),
      region: z.string(),
      uid: z.string().nullable().meta({ description: 'Null where it could not be read.' }),
      observationDigest: digest.nullable(),
      notChecked: z.array(z.string()).meta({
        description: 'Without node access: what is inferred. Such a check never ends as all clear.',
      }),
    }),
  ),
  unread: z
    .array(
      z.object({
        name: z.string(),
        kind: z.enum(['unreachable', 'refused']),
        code: z.string(),
        seen: z.string(),
        fix: z.string(),
      }),
    )
    .meta({ description: 'Nothing is known of these. Such a check never ends as all clear.' }),
  checks: z
    .array(
      z.object({
        section: z.string(),
        name: z.string(),
        codes: z.array(z.string()),
        results: z
          .object({ passed: count, presumed: count, found: count, notChecked: count })
          .meta({ description: 'Of the clusters that were read, how many ended so.' }),
      }),
    )
    .meta({ description: 'Every check, including those that found nothing.' }),
  findings: z
    .array(
      finding.omit({ subject: true, seen: true }).extend({
        clusters: clusterNames,
        seen: z.array(z.object({ subject: z.string(), seen: z.string(), clusters: clusterNames })),
      }),
    )
    .meta({ description: 'Each once, with the clusters that have it.' }),
  notChecked: z
    .array(z.string())
    .meta({ description: 'Of the fleet itself, for example whether workers serve its regions.' }),
});

const controllerTruth = z.object({
  overlapSeconds: z.number(),
  orphanSeconds: z.number(),
  moves: z.number(),
  orphans: z.array(z.object({ fromMs: z.number(), seconds: z.number() })),
});

const direction = z.object({
  target,
  steps: z.number(),
  durationSeconds: z.number(),
  historyEvents: z.number(),
  mutations: z.number(),
  requests: z.strictObject({
    steps: z.number(),
    guard: z.number(),
    nodes: z.number().nullable().meta({ description: 'Null where they are not recorded.' }),
  }),
  truth: z.record(z.string(), controllerTruth),
  product: ownershipTotals.nullable(),
  sources: z
    .object({ contradictions: z.array(z.string()), told: z.string() })
    .nullable()
    .meta({ description: 'Where the truth was joined from several sources.' }),
});

/** What the demo measured. Seconds are those of the environment: simulated, or real in the lab. */
export const DemoReport = outputSchema('DemoReport', {
  passed: z.boolean(),
  directions: z.array(direction),
  claims: z.array(z.object({ claim: z.string(), holds: z.boolean(), seen: z.string() })),
});

const clusterAccount = z.object({
  name: z.string(),
  region: z.string(),
  changing: z
    .object({ fromMs: z.number(), toMs: z.number() })
    .nullable()
    .meta({ description: 'From the first change to the last one, on the clock of the simulator.' }),
  changes: z.number().int(),
  struck: z.number().int().meta({ description: 'Requests that an outage cut.' }),
  overlapSeconds: z.number(),
  orphanSeconds: z.number(),
  owners: z.array(z.string()),
});

/** What the demo of a fleet measured. */
export const FleetDemoReport = outputSchema('FleetDemoReport', {
  passed: z.boolean(),
  clusters: z.array(clusterAccount),
  claims: z.array(z.object({ claim: z.string(), holds: z.boolean(), seen: z.string() })),
});

const span = z.object({ fromMs: z.number(), toMs: z.number() }).nullable();

/** What a rehearsal was forecast to be, and what it was. Times are those of the simulator's clock. */
export const RehearsalReport = outputSchema('RehearsalReport', {
  passed: z.boolean(),
  forecast: z.object({ p50Ms: z.number(), p90Ms: z.number() }),
  tookMs: z.number(),
  phases: z.record(z.string(), z.string()).meta({ description: 'Of each cluster, by name.' }),
  exposure: z
    .object({
      orphan: z.object({ cluster: z.string(), seconds: z.number() }),
      overlapSeconds: z.number(),
      mostChanging: z.number().int(),
      mostUnproven: z.number().int(),
    })
    .meta({
      description: 'The worst that clusters were exposed to; an overlap is never forecast.',
    }),
  clusters: z.array(
    clusterAccount.extend({
      fenced: span.meta({ description: 'While it was changing, soaking or held.' }),
      longestOrphanSeconds: z.number(),
    }),
  ),
  claims: z.array(z.object({ claim: z.string(), holds: z.boolean(), seen: z.string() })),
});

export const Version = outputSchema('Version', {
  version: z.string(),
  build: digest.meta({
    description: 'Of all code that decides or acts: workers stamp it on decisions.',
  }),
  node: z.string(),
  temporalSdk: z.string(),
  platform: z.string(),
});

export const CodePage = outputSchema('CodePage', {
  code: z.string(),
  title: z.string(),
  severity: z.string(),
  why: z.string(),
  fix: z.string(),
  source: z.string(),
});

const gateServing = z.object({
  kind: z.enum(['served', 'absent', 'unread', 'notAsked']).meta({
    description: 'unread: metrics of that version were not read. notAsked: no version was given.',
  }),
  text: z.string(),
});
const listedGate = z.object({
  name: z.string(),
  about: z.string(),
  measures: z.string().meta({ description: 'A formula over the series, as PromQL selects them.' }),
  limit: z.string(),
  blind: z.string().meta({ description: 'What it cannot see.' }),
  source: z.string(),
  kcm: gateServing,
  ccm: gateServing,
});

const objectGate = z.object({
  name: z.string(),
  about: z.string(),
  reads: z.string().meta({ description: 'Objects of the cluster that it is judged by.' }),
  fails: z.string(),
  blind: z.string().meta({ description: 'What it cannot see.' }),
  source: z.string(),
});

/** `gates list`. */
export const GateList = outputSchema('GateList', {
  gates: z.array(listedGate),
  objectGates: z.array(objectGate),
});

/** `gates explain`: one of both kinds. */
export const GatePage = outputSchema('GatePage', { gate: z.union([listedGate, objectGate]) });

/** `gates test`. */
export const GateTest = outputSchema('GateTest', {
  cluster: z.string(),
  gates: z.array(gateVerdict),
});

/** `probe clean`: `leaving` waits for the owner of the service controller. */
export const ProbeCleaning = outputSchema('ProbeCleaning', {
  cluster: z.string(),
  result: z.enum(['absent', 'deleted', 'leaving']),
});

export const CodeList = outputSchema('CodeList', {
  codes: z.array(z.object({ code: z.string(), title: z.string() })),
});

/** The executions of a run or a fleet, as exports have them. */
export const exportedExecutions = z
  .array(
    z.object({
      runId: z.string(),
      buildId: z.string().meta({ description: 'Of the newest workflow task; empty when none.' }),
      history: z.unknown(),
      historyDigest: digest,
    }),
  )
  .min(1)
  .meta({ description: 'In order: a long run occasionally continues as a new execution.' });

/** The evidence of one run, complete: what `audit verify` checks offline. */
export const AuditExport = outputSchema('AuditExport', {
  exportedAt: time,
  tool: z.string(),
  workflowId: z.string(),
  runId: z.string().meta({ description: 'Of the first execution: it names the run.' }),
  cluster: z.string(),
  records: z.array(
    z.object({
      sequence: z.number(),
      previous: z.string(),
      entry: z.looseObject({ kind: z.enum(['intent', 'outcome', 'authority']) }),
      signature: z
        .object({ keyid: digest, sig: z.string() })
        .optional()
        .meta({ description: 'Of the worker that wrote it, over all before it in this record.' }),
      hash: z.string(),
    }),
  ),
  head: z.string(),
  executions: exportedExecutions,
  objectLists: z
    .array(z.object({ digest, text: z.string() }))
    .optional()
    .meta({
      description:
        'What was compared at the start of the run, and where a comparison found a difference: docs/comparison.md.',
    }),
  digest: digest.meta({ description: 'Of all other members.' }),
});

export type AuditExport = z.output<typeof AuditExport>;

/** What each check of an export says, in every document that carries them. */
export const auditChecks = z.array(
  z.object({
    check: z.string(),
    result: z.enum(['pass', 'fail', 'unproven']),
    detail: z.string(),
  }),
);

export const AuditVerification = outputSchema('AuditVerification', {
  passed: z.boolean(),
  checks: auditChecks,
});

/** Printed on stdout instead of a command's own document when it fails. */
export const CommandErrorDocument = outputSchema('CommandError', {
  code: z
    .string()
    .nullable()
    .meta({ description: 'Of the catalogue: `ccm-migrate explain CODE`.' }),
  cluster: z.string().nullable(),
  message: z.string(),
  why: z.string(),
  next: z.string().meta({ description: 'What to do.' }),
  retryable: z.boolean().meta({
    description: 'Whether the same command may succeed later without intervention.',
  }),
  exitStatus: z.string(),
  exit: z.number().int(),
  problems: z.array(problem),
});
