import type { Verb } from './verb.js';
import { FILES, SERVER } from './verb.js';

const STATE_DIR = {
  flags: '--state-dir <folder>',
  about: 'where its database, evidence and logs are kept',
  preset: '.ccm-migrate',
};

const BACKGROUND = {
  flags: '--background',
  about: 'return when it is ready, and leave it running',
};

/** Its runs are on servers of its own. */
const ENDS_WITH_ITS_SERVERS = {
  reached: 'success: every claim holds',
  checksFailed: 'a claim does not hold, or nothing could be started',
  timedOut: 'it did not end in time; its servers have ended',
  interrupted: 'interrupted; its servers have ended',
} as const;

/** Verbs that start processes and keep running. */
export const SERVE_VERBS: readonly Verb[] = [
  {
    name: 'demo',
    about:
      'Migrates a cluster, simulated or real (--lab), and rolls it back, live, then checks the result.',
    examples: [
      'ccm-migrate demo',
      'ccm-migrate demo --keep',
      'ccm-migrate demo --fleet',
      'ccm-migrate demo --seed 7 --speed 5',
      'sudo ccm-migrate demo --lab',
      'sudo ccm-migrate demo --lab --from 1.27.4 --to 1.28.15',
    ],
    arguments: [],
    flags: [
      { flags: '--keep', about: 'leave everything running and print commands to inspect it' },
      {
        flags: '--fleet',
        about: 'twelve simulated clusters in three waves, while things go wrong',
      },
      { flags: '--lab', about: 'use real control planes on this Linux machine; needs root' },
      { flags: '--nodes <count>', about: 'control-plane nodes', preset: '3' },
      { flags: '--in-place', about: 'change the nodes themselves instead of replacing them' },
      {
        flags: '--strategy <name>',
        about: 'gap works without Leader Migration',
        choices: ['leaderMigration', 'gap'],
        preset: 'leaderMigration',
      },
      {
        flags: '--ccm <kind>',
        about: 'how the CCM is deployed',
        choices: ['staticPod', 'daemonSet'],
        preset: 'staticPod',
      },
      {
        flags: '--from <version>',
        about: 'version of the managers before the migration, for example 1.27.4',
        preset: '1.29.15',
      },
      {
        flags: '--to <version>',
        about: 'version of the managers after it, and of the API servers throughout',
        preset: '1.30.14',
      },
      {
        flags: '--seed <number>',
        about: 'seed of the simulator’s random delays, instead of 1',
      },
      {
        flags: '--speed <factor>',
        about: 'simulated seconds per real second, instead of 1',
      },
      {
        flags: '--state-dir <folder>',
        about: 'where to keep its files (default: a temporary folder)',
      },
    ],
    exitStatuses: ['reached', 'failed', 'checksFailed', 'timedOut', 'interrupted'],
    meanings: ENDS_WITH_ITS_SERVERS,
    load: async () => (await import('../commands/demo.js')).demo,
  },
  {
    name: 'rehearse',
    about:
      'Runs the migration of a fleet on simulated clusters shaped like its inventory, and compares it with the forecast.',
    examples: [
      'ccm-migrate rehearse -f fleet/',
      'ccm-migrate rehearse -f fleet/ --clusters 60 --soak 30s',
      'ccm-migrate rehearse -f fleet/ --keep rehearsal/ -o json',
    ],
    arguments: [],
    flags: [
      FILES,
      { flags: '--clusters <count>', about: 'most clusters, shared out among waves', preset: '24' },
      { flags: '--soak <duration>', about: 'how long each soaks', preset: '5s' },
      {
        flags: '--preset <name>',
        about: 'initial state of the clusters, as of `ccm-migrate simulator`',
        preset: 'in-tree',
      },
      { flags: '--seed <number>', about: 'seed of the simulator’s random delays', preset: '1' },
      { flags: '--speed <factor>', about: 'simulated seconds per real second', preset: '3' },
      {
        flags: '--keep <folder>',
        about: 'keep plan, evidence and logs here (default: a temporary folder)',
      },
    ],
    exitStatuses: ['reached', 'failed', 'checksFailed', 'configInvalid', 'timedOut', 'interrupted'],
    meanings: ENDS_WITH_ITS_SERVERS,
    load: async () => (await import('../commands/demo.js')).demo,
  },
  {
    name: 'dev',
    about:
      'Runs a Temporal development server and a worker on this machine, and keeps their state in a folder.',
    examples: ['ccm-migrate dev -f fleet/', 'ccm-migrate dev -f fleet/ --state-dir ~/.ccm-migrate'],
    arguments: [],
    flags: [
      FILES,
      STATE_DIR,
      BACKGROUND,
      { flags: '--port <port>', about: 'port of the Temporal server (default: a free one)' },
      { flags: '--ui-port <port>', about: 'port of its web UI (default: a free one)' },
    ],
    exitStatuses: ['reached', 'failed', 'configInvalid'],
    load: async () => (await import('../commands/dev.js')).dev,
  },
  {
    name: 'worker',
    about: 'Runs a worker, which executes the steps of the clusters in its inventory.',
    examples: [
      'ccm-migrate worker -f inventory.yaml --region eu-central --access-policy access-policy.yaml --address temporal.example.net:7233',
    ],
    arguments: [],
    flags: [
      FILES,
      {
        flags: '--region <name>',
        about: 'serve the clusters of this region (or CCM_MIGRATE_REGION) [default]',
      },
      {
        flags: '--access-policy <file>',
        about: 'AccessPolicy: who may start, command and approve; or: everyone',
      },
      {
        flags: '--policy-signers <file>',
        about: 'PolicySigners: how many of whom must have signed the AccessPolicy',
      },
      {
        flags: '--worker-key <file>',
        about: 'key that signs what this worker reports, for audits',
      },
      ...SERVER,
    ],
    exitStatuses: ['reached', 'failed', 'configInvalid'],
    load: async () => (await import('../commands/worker.js')).worker,
  },
  {
    name: 'server',
    about:
      'Takes alerts of Alertmanager, Grafana or others, and pauses or rolls back the runs and fleets that they name.',
    examples: [
      'ccm-migrate server --tokens tokens.yaml',
      'ccm-migrate server --tokens tokens.yaml --listen 0.0.0.0:8484 --tls-cert tls.crt --tls-key tls.key',
      'ccm-migrate server --tokens tokens.yaml -f fleet/ --address temporal.example.net:7233',
      'ccm-migrate server --tokens tokens.yaml --events-to https://events.example.net/ccm --events-key events.key',
    ],
    arguments: [],
    flags: [
      {
        flags: '--tokens <file>',
        about:
          'AutomationTokens: SHA-256 of each token, its expiry and scopes; read again on change',
      },
      {
        flags: '--listen <host:port>',
        about: 'address of the hooks, /livez, /readyz and /metrics; off this machine only with TLS',
        preset: '127.0.0.1:8484',
      },
      { flags: '--tls-cert <file>', about: 'certificate chain (PEM)' },
      { flags: '--tls-key <file>', about: 'its key (PEM)' },
      {
        flags: '--key <file>',
        about:
          'Ed25519 key, or .pub file of one in an ssh-agent, of a principal with the role automation, where workers obey an AccessPolicy (or CCM_MIGRATE_KEY); without it a rollback pauses instead',
      },
      {
        flags: '--events-to <url>',
        about: 'receiver of signed CloudEvents about runs; https, or http on 127.0.0.1',
      },
      {
        flags: '--events-key <file>',
        about: 'key of their signatures in base64; read again for each event',
      },
      { flags: '--events-ca <file>', about: "authorities of the receiver's certificate (PEM)" },
      {
        flags: '-f, --file <path...>',
        about:
          'files or folders with a ClusterInventory, to find runs by the UIDs that it pins instead of by the search index',
      },
      ...SERVER,
    ],
    exitStatuses: ['reached', 'failed', 'configInvalid'],
    load: async () => (await import('../commands/alert-server.js')).alertServer,
  },
  {
    name: 'codec',
    about:
      "Decrypts what Temporal's web page shows, where histories are encrypted (CCM_MIGRATE_PAYLOAD_KEYS); it encrypts nothing.",
    examples: [
      'ccm-migrate codec --payload-keys payload.keys',
      'ccm-migrate codec --listen 0.0.0.0:8485 --tls-cert tls.crt --tls-key tls.key --token-file token --ui-origin https://temporal.example.net',
    ],
    arguments: [],
    flags: [
      {
        flags: '--payload-keys <file>',
        about: 'keys of the workers (default: CCM_MIGRATE_PAYLOAD_KEYS)',
      },
      {
        flags: '--listen <host:port>',
        about: 'address; off this machine only with TLS and a token',
        preset: '127.0.0.1:8485',
      },
      {
        flags: '--ui-origin <origin>',
        about: 'the web page that may ask, as browsers name it',
        preset: 'http://127.0.0.1:8080',
      },
      { flags: '--token-file <file>', about: 'what the web page must send as its access token' },
      { flags: '--tls-cert <file>', about: 'certificate chain (PEM)' },
      { flags: '--tls-key <file>', about: 'its key (PEM)' },
    ],
    exitStatuses: ['reached', 'failed'],
    load: async () => (await import('../commands/codec.js')).codec,
  },
  {
    name: 'simulator',
    about: 'Serves simulated clusters for rehearsals and writes a kubeconfig for each.',
    examples: [
      'ccm-migrate simulator',
      'ccm-migrate simulator --speed 10 --nodes 1',
      'ccm-migrate simulator --shape config/examples/simulated-fleet/shape.yaml',
    ],
    arguments: [],
    flags: [
      {
        flags: '--state-dir <folder>',
        about: 'where kubeconfigs are written',
        preset: '.ccm-migrate/simulator',
      },
      BACKGROUND,
      { flags: '--port <port>', about: 'port to listen on (default: a free one)' },
      { flags: '--clusters <count>', about: 'number of clusters, instead of 1' },
      {
        flags: '--shape <file>',
        about: 'groups of clusters with regions, labels, versions, delays and faults of their own',
      },
      {
        flags: '--preset <name>',
        about: 'their initial state, for example in-tree or migrated',
        preset: 'in-tree',
      },
      { flags: '--seed <number>', about: 'seed of the random delays', preset: '1' },
      { flags: '--speed <factor>', about: 'simulated seconds per real second', preset: '1' },
      { flags: '--nodes <count>', about: 'control-plane nodes', preset: '3' },
      {
        flags: '--from <version>',
        about: 'version of managers and kubelets, for example 1.27.4',
        preset: '1.29.15',
      },
      { flags: '--to <version>', about: 'version of API servers', preset: '1.30.14' },
    ],
    exitStatuses: ['reached', 'failed'],
    load: async () => (await import('../commands/simulator.js')).simulator,
  },
];
