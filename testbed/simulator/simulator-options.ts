import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { flagReader } from '../base/flags.js';
import { PRESETS, PRESET_NAMES } from './cluster/preset-names.js';
import type { SimulatorOptions } from './server.js';
import { readShape } from './shape/shape-file.js';

const PRESET_LINES = Object.entries(PRESETS)
  .map(([name, text]) => `                           ${name.padEnd(21)} ${text}`)
  .join('\n');

export const SIMULATOR_HELP = `Serves simulated Kubernetes clusters over HTTPS: API server, managers, kubelets, cloud, machines.

Usage: node dist/testbed/simulator/main.js [options]

  --port N               port on 127.0.0.1; 0 takes a free one (default 0)
  --clusters N           how many clusters, named sim-1, sim-2, … (default 1)
  --shape FILE           groups of clusters instead, each with a region, labels, versions, delays and faults of
                         requests, machines and cloud (which fails, hangs or slows, for each controller);
                         what a group omits is as the flags say (docs/contracts/simulator-shape.md)
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

When it is up it says so: to a terminal in words, otherwise in one line of JSON, {"ready":true,"url":…,"inventory":…,"kubeconfigs":…}.
Then explore it, for example:

  export KUBECONFIG=DIR/sim-1.kubeconfig
  kubectl get nodes,leases -A
  TOKEN=$(sed -n 's/.*"token": "\\(.*\\)".*/\\1/p' "$KUBECONFIG")
  curl -sk -H "Authorization: Bearer $TOKEN" URL/clusters/sim-1/simulator/v1/truth
  curl -sk -H "Authorization: Bearer $TOKEN" -d '{"kind":"crashProcess","node":"cp-1","manager":"kcm"}' \\
    URL/clusters/sim-1/simulator/v1/events
  curl -sk -H "Authorization: Bearer $TOKEN" \\
    -d '{"faults":[{"controller":"service","cloud":"fail","ratio":0.2,"error":"quota exceeded"}]}' \\
    URL/clusters/sim-1/simulator/v1/cloud-faults      # DELETE heals it

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
  clusters: TEXT,
  shape: TEXT,
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

type WithoutDefault = 'clusters' | 'shape' | 'state-dir' | 'ready-file';

type Values = Readonly<Record<Exclude<keyof typeof FLAGS, 'help' | WithoutDefault>, string>> & {
  readonly [Name in WithoutDefault]?: string;
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
  const { 'state-dir': stateDir, 'ready-file': readyFile } = values;
  return {
    simulator: {
      clusters: wantedClusters(values, spec),
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

type Wanted = SimulatorOptions['clusters'];

function wantedClusters(
  { clusters, shape, region }: Values,
  spec: NonNullable<Wanted[number]['spec']>,
): Wanted {
  if (shape === undefined) {
    const count = whole('clusters', clusters ?? '1', 1, 5000);
    return Array.from({ length: count }, (_, index) => ({ id: `sim-${index + 1}`, spec }));
  }
  if (clusters !== undefined) throw new Refusal('--clusters and --shape exclude each other');
  const answer = readShape(textOf(shape), shape, { spec, region });
  if (!answer.ok) throw new Refusal(answer.problems.join('\n'));
  return answer.clusters.map(({ id, spec: own, ...particulars }) => ({
    id,
    spec: own,
    particulars,
  }));
}

function textOf(shape: string): string {
  try {
    return readFileSync(shape, 'utf8');
  } catch (error) {
    throw new Refusal(
      `--shape ${shape}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
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
