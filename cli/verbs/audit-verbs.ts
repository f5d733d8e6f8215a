import type { Flag, Verb } from './verb.js';
import { FILES, FILES_OF_RUN, SERVER } from './verb.js';

const EXPORTS: Flag = {
  flags: '--exports <folder>',
  about: 'folder of exports (default: that of `dev`)',
};

const SPAN: readonly Flag[] = [
  { flags: '--from <time>', about: 'only runs that began then or later' },
  { flags: '--to <time>', about: 'only runs that began then or before' },
];

/** What an audit holds runs against beside the server and the exports. */
const LOG: readonly Flag[] = [
  { flags: '--log <folder>', about: 'log of `audit anchor`, as its keeper has it' },
  {
    flags: '--checkpoint <file...>',
    about: 'with --log: earlier checkpoints of it that were kept elsewhere',
  },
];

/** What an export has to stand up to. */
const PROOF: readonly Flag[] = [
  {
    flags: '--trust <file>',
    about:
      'AccessPolicy with the keys and roles of those who may have signed; without it no signature is proven',
  },
  { flags: '--allow <check...>', about: 'checks that may stay unproven; any other ends with 8' },
  ...LOG,
  {
    flags: '--bundles <folder>',
    about:
      'workflow bundles of other versions, which are run to replay: one that forgers cannot write to',
  },
  { flags: '--no-replay', about: 'do not replay the histories' },
];

/** Verbs about what was done, for auditors who were not there. */
export const AUDIT_VERBS: readonly Verb[] = [
  {
    name: 'audit export',
    about:
      'Writes the evidence of a run: every change with actor, reason and proof, and its history. Of a fleet: who asked, commanded and approved.',
    examples: [
      'ccm-migrate audit export prod-1 -o json > prod-1.json',
      'ccm-migrate audit export prod-eu --out prod-eu.json',
      'ccm-migrate audit export --run 3f0c… --out run.json',
      'ccm-migrate audit export --fleet prod-eu --out exports/',
      'ccm-migrate audit export --all --out exports/',
      'ccm-migrate audit export --all --out exports/ --every 1m',
    ],
    arguments: [
      {
        syntax: '[run]',
        about:
          'name or UID of the cluster, or name of the fleet; may be left out when there is only one run',
      },
    ],
    flags: [
      { flags: '--out <path>', about: 'write to this file instead of stdout' },
      {
        flags: '--all',
        about:
          'every run that has ended, each to a file in the folder --out, unless it is there; of fleets below fleets/',
      },
      { flags: '--fleet <name>', about: 'the same of one fleet and the runs of its clusters' },
      {
        flags: '--run <id>',
        about: 'that run, as `audit list` names it, instead of the latest of a cluster or fleet',
      },
      {
        flags: '--every <duration>',
        about: 'with --all or --fleet: again and again, until it is interrupted',
      },
      { flags: '--evidence-dir <folder>', about: "the workers' evidence folder" },
      FILES_OF_RUN,
      ...SERVER,
    ],
    exitStatuses: ['reached', 'failed', 'inconclusive'],
    load: async () => (await import('../commands/audit-export.js')).auditExport,
  },
  {
    name: 'audit verify',
    about:
      'Verifies that an export is complete and unaltered: checks its hash chain and replays its history.',
    examples: [
      'ccm-migrate audit verify prod-1.json',
      'ccm-migrate audit verify prod-1.json --trust access-policy.yaml',
      'ccm-migrate audit verify prod-1.json --trust access-policy.yaml --log ccm-migrate-log/',
    ],
    arguments: [{ syntax: '<file>', about: 'written by `ccm-migrate audit export`' }],
    flags: PROOF,
    exitStatuses: ['reached', 'failed', 'checksFailed', 'inconclusive', 'configInvalid'],
    load: async () => (await import('../commands/audit-verify.js')).auditVerify,
  },
  {
    name: 'audit show',
    about:
      'Tells what a run did, from its export: who asked for it and how that is known, each change and why, what held it, and what is proven.',
    examples: [
      'ccm-migrate audit show prod-1.json --trust access-policy.yaml',
      'ccm-migrate audit show --exports exports/ --ticket CHG-1 --trust access-policy.yaml',
      'ccm-migrate audit show prod-1 --exports exports/ -o json',
    ],
    arguments: [
      {
        syntax: '[runs...]',
        about:
          'exports, or with --exports runs by cluster, fleet, workflow id or run id; may be left out when there is only one run',
      },
    ],
    flags: [
      EXPORTS,
      { flags: '--ticket <id>', about: 'only runs of this change ticket, both directions' },
      { flags: '--full', about: 'each diff with its context, and new and removed texts whole' },
      ...PROOF,
      {
        flags: '--state-dir <folder>',
        about: 'folder of `dev`, whose exports are meant without --exports',
      },
    ],
    exitStatuses: ['reached', 'failed', 'checksFailed', 'inconclusive', 'configInvalid'],
    load: async () => (await import('../commands/audit-show.js')).auditShow,
  },
  {
    name: 'audit list',
    about:
      'Lists every run of every cluster and fleet, both directions, that the server or an export knows.',
    examples: [
      'ccm-migrate audit list --ticket CHG-1 --exports exports/',
      'ccm-migrate audit list --from 2026-11-01 -o csv > runs.csv',
    ],
    arguments: [],
    flags: [
      EXPORTS,
      ...SPAN,
      { flags: '--cluster <name>', about: 'only runs of this cluster, by name or UID' },
      { flags: '--ticket <id>', about: 'only runs of this change ticket' },
      {
        flags: '--most <count>',
        about: 'read at most so many histories without an export, the newest (default: 500)',
      },
      ...SERVER,
    ],
    exitStatuses: ['reached', 'failed', 'inconclusive'],
    printsCsv: true,
    load: async () => (await import('../commands/audit-list.js')).auditList,
  },
  {
    name: 'audit population',
    about:
      'Finds runs that are missing: compares what the server lists and what was exported with the epochs that the fence of each cluster counted.',
    examples: [
      'ccm-migrate audit population -f fleet/ --exports exports/ --trust access-policy.yaml',
    ],
    arguments: [],
    flags: [
      EXPORTS,
      ...SPAN,
      {
        flags: '--trust <file>',
        about: 'AccessPolicy: only exports count that `audit verify --trust` would accept',
      },
      { flags: '--allow <check...>', about: 'with --trust: checks that may stay unproven' },
      ...LOG,
      FILES,
      ...SERVER,
    ],
    exitStatuses: ['reached', 'failed', 'checksFailed', 'inconclusive', 'configInvalid'],
    load: async () => (await import('../commands/audit-population.js')).auditPopulation,
  },
  {
    name: 'audit anchor',
    about:
      'Writes into a log how far the history of each run has come, so that its past cannot be rewritten. Runs beside its own key, away from servers and workers.',
    examples: [
      'ccm-migrate audit anchor --log ccm-migrate-log --log-key log.key --init logs.example.com/ccm-migrate',
      'ccm-migrate audit anchor --log ccm-migrate-log --log-key log.key --every 1m --git',
    ],
    arguments: [],
    flags: [
      { flags: '--log <folder>', about: 'the log (C2SP tlog-tiles)' },
      { flags: '--log-key <file>', about: 'Ed25519 key that signs its checkpoints' },
      {
        flags: '--init <origin>',
        about: 'begin a log of this name, and make the key if it is missing',
      },
      { flags: '--every <duration>', about: 'again and again, until it is interrupted' },
      {
        flags: '--timestamp <url>',
        about:
          'have an authority (RFC 3161) stamp what the log says, at most every 10 minutes: a past cannot be rewritten later, even with its key',
      },
      {
        flags: '--git',
        about: 'commit and push after each pass: the folder is (in) a clone of a repository',
      },
      ...SERVER,
    ],
    exitStatuses: ['reached', 'failed', 'checksFailed', 'inconclusive'],
    load: async () => (await import('../commands/audit-anchor.js')).auditAnchor,
  },
  {
    name: 'audit reconcile',
    about:
      "Compares an API server's audit log with the exports of all runs of its cluster: each write of the workers must be on record, and each record carried out.",
    examples: ['ccm-migrate audit reconcile --api-audit audit.log exports/prod-1-*.json'],
    arguments: [{ syntax: '<exports...>', about: 'of all runs of the cluster in that time' }],
    flags: [
      {
        flags: '--api-audit <file>',
        about: 'audit log (audit.k8s.io/v1, one event in a line; level Metadata is enough)',
      },
      { flags: '--user <name>', about: 'of the workers in the cluster (default: ccm-migrate)' },
    ],
    exitStatuses: ['reached', 'checksFailed', 'inconclusive'],
    load: async () => (await import('../commands/audit-reconcile.js')).auditReconcile,
  },
];
