import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { flagReader } from '../base/flags.js';
import type { PresetName } from './cluster/cluster-spec.js';
import type { SimulatorOptions } from './server.js';

const PRESETS: Readonly<Record<PresetName, string>> = {
  'in-tree': 'the usual start of a migration',
  'guide-130': "the guide's configuration on 1.28 or later: two owners",
  'ccm-without-lm': 'a CCM beside in-tree KCMs: two owners',
  'external-kcm-with-lm': 'external KCMs hold the lock: no owner',
  'stopped-half-way': 'a manual migration, stopped after the first node',
  migrated: 'finished',
};

const PRESET_NAMES = Object.keys(PRESETS).filter(isPreset);

const PRESET_LINES = Object.entries(PRESETS)
  .map(([name, text]) => `                           ${name.padEnd(21)} ${text}`)
  .join('\n');

export const SIMULATOR_HELP = `Serves simulated Kubernetes clusters over HTTPS: API server, managers, kubelets, cloud, machines.

Usage: node dist/testbed/simulator/main.js [options]

  --port N               port on 127.0.0.1; 0 takes a free one (default 0)
  --clusters N           how many clusters, named sim-1, sim-2, … (default 1)
  --nodes N              control-plane nodes of each (default 3)
  --from VERSION         version of managers and kubelets at the start (default 1.29.15)
  --to VERSION           version of the API servers (default 1.30.14)
  --preset NAME          how each cluster was left (default in-tree):
${PRESET_LINES}
  --workers N            worker nodes of each (default 2)
  --services N           Services of type LoadBalancer in each (default 1)
  --etcd external|stacked  where etcd runs (default external)
  --credential token|clientCertificate  what the kubeconfigs hold (default token)
  --speed X              simulated seconds per real second (default 1)
  --seed N               same seed, same delays (default 1)
  --region NAME          region of the clusters in the inventory (default default)
  --state-dir DIR        where kubeconfigs and inventory.yaml are written (default: a new folder)
  --ready-file FILE      also write the ready line there
  --help                 this text

When it is up it prints one line of JSON: {"ready":true,"url":…,"inventory":…,"kubeconfigs":…}.
Then explore it, for example:

  export KUBECONFIG=DIR/sim-1.kubeconfig
  kubectl get nodes,leases -A
  TOKEN=$(sed -n 's/.*"token": "\\(.*\\)".*/\\1/p' "$KUBECONFIG")
  curl -sk -H "Authorization: Bearer $TOKEN" URL/clusters/sim-1/simulator/v1/truth
  curl -sk -H "Authorization: Bearer $TOKEN" -d '{"kind":"crashProcess","node":"cp-1","manager":"kcm"}' \\
    URL/clusters/sim-1/simulator/v1/events

Stop it with SIGTERM or SIGINT.
`;

export interface ProcessOptions {
  readonly simulator: Omit<SimulatorOptions, 'stateDir'>;
  /** Null creates a new folder. */
  readonly stateDir: string | null;
  readonly readyFile?: string;
}

export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: ProcessOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly message: string };

const TEXT = { type: 'string' } as const;

const FLAGS = {
  port: { ...TEXT, default: '0' },
  clusters: { ...TEXT, default: '1' },
  nodes: { ...TEXT, default: '3' },
  from: { ...TEXT, default: '1.29.15' },
  to: { ...TEXT, default: '1.30.14' },
  preset: { ...TEXT, default: 'in-tree' },
  workers: { ...TEXT, default: '2' },
  services: { ...TEXT, default: '1' },
  etcd: { ...TEXT, default: 'external' },
  credential: { ...TEXT, default: 'token' },
  speed: { ...TEXT, default: '1' },
  seed: { ...TEXT, default: '1' },
  region: { ...TEXT, default: 'default' },
  'state-dir': TEXT,
  'ready-file': TEXT,
  help: { type: 'boolean', default: false },
} as const;

class Refusal extends Error {}

const { whole, oneOf } = flagReader((message) => new Refusal(message));

/** What is wrong with the options; null for any other error. Node marks its own parse errors by their code. */
function refusalIn(error: unknown): string | null {
  if (error instanceof Refusal) return error.message;
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  const isParse = String(error.code).startsWith('ERR_PARSE_ARGS');
  return isParse && 'message' in error ? String(error.message) : null;
}

export function parseOptions(words: readonly string[]): ParsedOptions {
  try {
    const { values } = parseArgs({ args: [...words], options: FLAGS, strict: true });
    if (values.help) return { kind: 'help' };
    return { kind: 'run', options: read(values) };
  } catch (error) {
    const message = refusalIn(error);
    if (message !== null) return { kind: 'refused', message };
    throw error;
  }
}

type Values = Readonly<
  Record<Exclude<keyof typeof FLAGS, 'help' | 'state-dir' | 'ready-file'>, string>
> & {
  readonly 'state-dir'?: string;
  readonly 'ready-file'?: string;
};

function read(values: Values): ProcessOptions {
  const spec = {
    nodes: whole('nodes', values.nodes, 1, 9),
    version: version('from', values.from),
    apiServerVersion: version('to', values.to),
    preset: oneOf('preset', values.preset, PRESET_NAMES),
    workers: whole('workers', values.workers, 0, 10_000),
    loadBalancers: whole('services', values.services, 0, 10_000),
    etcd: oneOf('etcd', values.etcd, ['external', 'stacked'] as const),
  };
  const count = whole('clusters', values.clusters, 1, 5000);
  const { 'state-dir': stateDir, 'ready-file': readyFile } = values;
  return {
    simulator: {
      clusters: Array.from({ length: count }, (_, index) => ({ id: `sim-${index + 1}`, spec })),
      port: whole('port', values.port, 0, 65_535),
      speed: positive('speed', values.speed),
      seed: values.seed,
      region: values.region,
      credential: oneOf('credential', values.credential, ['token', 'clientCertificate'] as const),
    },
    stateDir: stateDir === undefined ? null : resolve(stateDir),
    ...(readyFile === undefined ? {} : { readyFile: resolve(readyFile) }),
  };
}

function isPreset(text: string): text is PresetName {
  return Object.hasOwn(PRESETS, text);
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Refusal(`--${flag} must be a number above 0, not "${text}"`);
}

function version(flag: string, text: string): string {
  if (/^1\.\d{1,2}\.\d{1,3}$/.test(text)) return text;
  throw new Refusal(`--${flag} must be a version like 1.30.14, not "${text}"`);
}
