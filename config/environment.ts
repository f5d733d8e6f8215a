import type { LoopLimits } from '../domain/loop-admission.js';
import { type EvidenceDatabase, readDatabaseUrl } from './evidence-database.js';
import { type HostPort, hostPort, isLoopback } from './host-port.js';

/** One variable of the worker's environment; docs and compose files are checked against these. */
export interface EnvironmentVariable {
  /** Absent where it must be set; empty when there is none. */
  readonly default?: string;
  readonly meaning: string;
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Instead of an access policy: all who write to the Temporal namespace are obeyed. It must be said, so that it is never by mistake. */
export const EVERYONE = 'everyone';

/** Everything a worker reads from its environment; nothing else is read, and nowhere else. */
export const WORKER_ENVIRONMENT = {
  TEMPORAL_ADDRESS: { default: '127.0.0.1:7233', meaning: 'host:port of the Temporal frontend' },
  TEMPORAL_NAMESPACE: { default: 'default', meaning: 'Temporal namespace of the migrations' },
  TEMPORAL_TLS_CERT: {
    default: '',
    meaning: 'file with our client certificate (PEM) for Temporal',
  },
  TEMPORAL_TLS_KEY: { default: '', meaning: 'file with the key (PEM) of TEMPORAL_TLS_CERT' },
  TEMPORAL_TLS_CA: {
    default: '',
    meaning: 'file with the authority (PEM) that signed the Temporal frontend',
  },
  TEMPORAL_API_KEY_FILE: {
    default: '',
    meaning: 'file with an API key or token for Temporal; used over TLS only',
  },
  CCM_MIGRATE_TEMPORAL_PLAINTEXT: {
    default: 'loopback',
    meaning:
      'where TLS to Temporal may be omitted: loopback, or privateNetwork when the network itself is trusted',
  },
  CCM_MIGRATE_INVENTORY: {
    meaning:
      'files or folders, separated as in PATH, with each ClusterInventory of the clusters this worker reaches',
  },
  CCM_MIGRATE_INVENTORY_WRITERS: {
    default: 'own',
    meaning:
      'own: with an AccessPolicy, an inventory, kubeconfig or known_hosts file that other users may write, or that belongs to one, is refused; any: where all of them are trusted',
  },
  CCM_MIGRATE_STATE_DIR: { meaning: 'folder for the evidence records; must outlive the worker' },
  CCM_MIGRATE_EVIDENCE_DATABASE: {
    default: '',
    meaning:
      'postgresql://user@host:port/database where workers on several hosts share the evidence, instead of the folder; over TLS, but on this machine',
  },
  CCM_MIGRATE_EVIDENCE_PASSWORD_FILE: {
    default: '',
    meaning: 'file (0600) with the password of that user',
  },
  CCM_MIGRATE_EVIDENCE_CA_FILE: {
    default: '',
    meaning:
      'file with the authority (PEM) that signed the certificate of that server; those of Node.js when empty',
  },
  CCM_MIGRATE_ACCESS_POLICY: {
    meaning: `file with the AccessPolicy: who may start, command and approve; \`${EVERYONE}\` where all who reach the Temporal namespace may`,
  },
  CCM_MIGRATE_POLICY_SIGNERS: {
    default: '',
    meaning:
      'file with the PolicySigners: how many of whom must have signed the AccessPolicy (`ccm-migrate access sign`); it counts unsigned when empty',
  },
  CCM_MIGRATE_WORKER_KEY: {
    default: '',
    meaning:
      'file with an Ed25519 key (PEM, 0600) that signs what this worker reports and records, so that an audit and other workers can tell; unsigned when empty',
  },
  CCM_MIGRATE_PAYLOAD_KEYS: {
    default: '',
    meaning:
      'file (0600) with keys that encrypt what histories carry, the same for all workers and commands (`ccm-migrate access payload-key`); plain when empty',
  },
  CCM_MIGRATE_HEALTH_ADDRESS: {
    default: '127.0.0.1:0',
    meaning: 'host:port of /livez and /readyz; port 0 takes a free one',
  },
  CCM_MIGRATE_METRICS_ADDRESS: {
    default: '',
    meaning: 'host:port of Prometheus metrics; none when empty',
  },
  CCM_MIGRATE_REGION: { default: 'default', meaning: 'region whose clusters this worker serves' },
  CCM_MIGRATE_CLUSTER_SLOTS: {
    default: '320',
    meaning: 'how many clusters may be in flight here at once: each has a guard and a step',
  },
  CCM_MIGRATE_BUSY_PERCENT: {
    default: '80',
    meaning:
      'a worker whose event loop worked more than this share of the last 10 seconds takes no new guards, and those it has go on; 100 to take them however busy it is',
  },
  CCM_MIGRATE_BUSY_UNTIL_PERCENT: {
    default: '60',
    meaning: 'below this share it takes new guards again; less than CCM_MIGRATE_BUSY_PERCENT',
  },
  CCM_MIGRATE_STICKY_MS: {
    default: '10000',
    meaning:
      'milliseconds after which a workflow is taken over from a worker that caches it and does not answer',
  },
  CCM_MIGRATE_SHUTDOWN_GRACE_MS: {
    default: '900000',
    meaning:
      'how long steps in flight may continue at shutdown; at least as long as a step may take, and shorter than the stop timeout of the service manager',
  },
  CCM_MIGRATE_WORKER_VERSIONING: {
    default: 'off',
    meaning:
      'on: worker deployment versioning with AUTO_UPGRADE; nothing is served before the build becomes current',
  },
  CCM_MIGRATE_LOG_LEVEL: { default: 'info', meaning: `one of ${LOG_LEVELS.join(', ')}` },
} as const satisfies Readonly<Record<string, EnvironmentVariable>>;

type Name = keyof typeof WORKER_ENVIRONMENT;

/** What decides how a worker serves its queues. */
export interface WorkerSettings {
  readonly region: string;
  /**
   * Maximum clusters in flight. Guards, waits and steps have that many slots each: a guard keeps its slot for the whole run,
   * a soak or wait for up to a day. With separate slots none of them delays a step.
   */
  readonly clusterSlots: number;
  readonly stickyMs: number;
  /** At shutdown steps have this long to complete; then they are cancelled. */
  readonly shutdownGraceMs: number;
  readonly versioning: 'off' | 'on';
}

export interface WorkerEnvironment extends WorkerSettings {
  readonly temporal: {
    readonly address: string;
    readonly namespace: string;
    /** Paths; empty when unset. */
    readonly certificateFile: string;
    readonly keyFile: string;
    readonly authorityFile: string;
    readonly apiKeyFile: string;
    readonly encrypted: boolean;
  };
  readonly inventory: string;
  /** Whether files of the inventory that others may write are refused. */
  readonly onlyOwn: boolean;
  readonly stateDirectory: string;
  /** Null where evidence is in the folder. */
  readonly evidenceDatabase: EvidenceDatabase | null;
  /** Path; null where everyone is obeyed. */
  readonly accessPolicy: string | null;
  /** Path; null where the policy counts as it is. */
  readonly policySigners: string | null;
  /** Path; empty when unset. */
  readonly workerKey: string;
  /** Path; empty when unset. */
  readonly payloadKeys: string;
  /** How busy the event loop may be while new guards are taken. */
  readonly loopLimits: LoopLimits;
  readonly health: HostPort;
  readonly metrics: HostPort | null;
  readonly logLevel: LogLevel;
}

export type ReadEnvironment =
  | { readonly kind: 'valid'; readonly environment: WorkerEnvironment }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** Checks a worker's environment as a whole: all problems at once, each naming its variable. Empty counts as unset. */
export function readWorkerEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): ReadEnvironment {
  const read = reader(env);
  const environment: WorkerEnvironment = {
    temporal: readTemporal(read),
    inventory: read.text('CCM_MIGRATE_INVENTORY'),
    stateDirectory: read.text('CCM_MIGRATE_STATE_DIR'),
    evidenceDatabase: readEvidence(read),
    ...readAccess(read),
    workerKey: read.text('CCM_MIGRATE_WORKER_KEY'),
    payloadKeys: read.text('CCM_MIGRATE_PAYLOAD_KEYS'),
    health: read.address('CCM_MIGRATE_HEALTH_ADDRESS'),
    metrics:
      read.text('CCM_MIGRATE_METRICS_ADDRESS') === ''
        ? null
        : read.address('CCM_MIGRATE_METRICS_ADDRESS'),
    region: read.text('CCM_MIGRATE_REGION'),
    clusterSlots: read.count('CCM_MIGRATE_CLUSTER_SLOTS', 10_000),
    loopLimits: readLoopLimits(read),
    stickyMs: read.count('CCM_MIGRATE_STICKY_MS', 600_000),
    shutdownGraceMs: read.count('CCM_MIGRATE_SHUTDOWN_GRACE_MS', 24 * 3_600_000),
    versioning: read.oneOf('CCM_MIGRATE_WORKER_VERSIONING', ['off', 'on']),
    logLevel: read.oneOf('CCM_MIGRATE_LOG_LEVEL', LOG_LEVELS),
  };
  return read.problems.length === 0
    ? { kind: 'valid', environment: Object.freeze(environment) }
    : { kind: 'invalid', problems: read.problems };
}

/** Only where evidence is, for who reads it without being a worker. @throws Error in plain words */
export function evidenceDatabaseIn(
  env: Readonly<Record<string, string | undefined>>,
): EvidenceDatabase | null {
  const read = reader(env);
  const database = readEvidence(read);
  if (read.problems.length > 0) throw new Error(read.problems.join('\n'));
  return database;
}

function readEvidence(read: Reader): EvidenceDatabase | null {
  const url = read.text('CCM_MIGRATE_EVIDENCE_DATABASE');
  const passwordFile = read.text('CCM_MIGRATE_EVIDENCE_PASSWORD_FILE');
  const authorityFile = read.text('CCM_MIGRATE_EVIDENCE_CA_FILE');
  if (url === '') {
    if (passwordFile !== '' || authorityFile !== '') {
      read.problem(
        'CCM_MIGRATE_EVIDENCE_PASSWORD_FILE and CCM_MIGRATE_EVIDENCE_CA_FILE need CCM_MIGRATE_EVIDENCE_DATABASE',
      );
    }
    return null;
  }
  const given = readDatabaseUrl(url, { passwordFile, authorityFile });
  if (given.kind === 'valid') return given.database;
  read.problem(`CCM_MIGRATE_EVIDENCE_DATABASE ${given.why}`);
  return null;
}

function readAccess(
  read: Reader,
): Pick<WorkerEnvironment, 'accessPolicy' | 'policySigners' | 'onlyOwn'> {
  const accessPolicy = pathUnless(EVERYONE, read.text('CCM_MIGRATE_ACCESS_POLICY'));
  const policySigners = pathUnless('', read.text('CCM_MIGRATE_POLICY_SIGNERS'));
  if (accessPolicy === null && policySigners !== null) {
    read.problem(
      `CCM_MIGRATE_POLICY_SIGNERS needs an AccessPolicy that they sign: CCM_MIGRATE_ACCESS_POLICY is ${EVERYONE}`,
    );
  }
  const writers = read.oneOf('CCM_MIGRATE_INVENTORY_WRITERS', ['own', 'any']);
  return { accessPolicy, policySigners, onlyOwn: accessPolicy !== null && writers === 'own' };
}

/** Two limits that are equal would let a worker change its mind at each reading. */
function readLoopLimits(read: Reader): LoopLimits {
  const [busy, until] = ['CCM_MIGRATE_BUSY_PERCENT', 'CCM_MIGRATE_BUSY_UNTIL_PERCENT'] as const;
  const [stop, resume] = [read.count(busy, 100), read.count(until, 100)];
  if (resume >= stop) {
    read.problem(`${until} ${String(resume)} must be less than ${busy}, which is ${String(stop)}`);
  }
  return { stopAbove: stop / 100, resumeBelow: resume / 100 };
}

function pathUnless(word: string, given: string): string | null {
  return given === word ? null : given;
}

function readTemporal(read: Reader): WorkerEnvironment['temporal'] {
  const { host } = read.address('TEMPORAL_ADDRESS');
  const certificateFile = read.text('TEMPORAL_TLS_CERT');
  const keyFile = read.text('TEMPORAL_TLS_KEY');
  const authorityFile = read.text('TEMPORAL_TLS_CA');
  const apiKeyFile = read.text('TEMPORAL_API_KEY_FILE');
  const encrypted = [certificateFile, keyFile, authorityFile, apiKeyFile].some((set) => set !== '');
  const plaintext = read.oneOf('CCM_MIGRATE_TEMPORAL_PLAINTEXT', ['loopback', 'privateNetwork']);
  if ((certificateFile === '') !== (keyFile === '')) {
    read.problem('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY must be set together');
  }
  if (!encrypted && plaintext === 'loopback' && !isLoopback(host)) {
    read.problem(
      `TEMPORAL_ADDRESS ${host} is not on this machine and no TLS is set: commands and histories would cross ` +
        'the network in plain text. Set TEMPORAL_TLS_CA (and TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY or ' +
        'TEMPORAL_API_KEY_FILE), or CCM_MIGRATE_TEMPORAL_PLAINTEXT=privateNetwork on a network you trust',
    );
  }
  return {
    address: read.text('TEMPORAL_ADDRESS'),
    namespace: read.text('TEMPORAL_NAMESPACE'),
    certificateFile,
    keyFile,
    authorityFile,
    apiKeyFile,
    encrypted,
  };
}

interface Reader {
  readonly problems: string[];
  readonly problem: (words: string) => void;
  readonly text: (name: Name) => string;
  readonly address: (name: Name) => HostPort;
  readonly count: (name: Name, most: number) => number;
  readonly oneOf: <T extends string>(name: Name, allowed: readonly [T, ...T[]]) => T;
}

function reader(env: Readonly<Record<string, string | undefined>>): Reader {
  const problems: string[] = [];
  const problem = (words: string): void => {
    if (!problems.includes(words)) problems.push(words);
  };
  const text = (name: Name): string => {
    const variable: EnvironmentVariable = WORKER_ENVIRONMENT[name];
    const given = env[name]?.trim() ?? '';
    if (given !== '') return given;
    if (variable.default === undefined) problem(`${name} is not set: ${variable.meaning}`);
    return variable.default ?? '';
  };
  return {
    problems,
    problem,
    text,
    address: (name) => {
      const read = hostPort(text(name));
      if (read === null) problem(`${name} must be host:port, not ${text(name)}`);
      return read ?? { host: '127.0.0.1', port: 0 };
    },
    count: (name, most) => {
      const given = Number(text(name));
      if (Number.isInteger(given) && given >= 1 && given <= most) return given;
      problem(`${name} must be a whole number from 1 to ${String(most)}, not ${text(name)}`);
      return 1;
    },
    oneOf: <T extends string>(name: Name, allowed: readonly [T, ...T[]]) => {
      const given = allowed.find((known) => known === text(name));
      if (given === undefined) {
        problem(`${name} must be one of ${allowed.join(', ')}, not ${text(name)}`);
      }
      return given ?? allowed[0];
    },
  };
}
