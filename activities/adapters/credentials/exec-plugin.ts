import { z } from 'zod';
import { parseBoundedJson } from '../../../domain/yaml/bounded-json.js';
import { failure } from '../../failures.js';
import { type ProgramLimits, printedBy } from './bounded-program.js';
import type { ClusterEntry, ExecEntry } from './kubeconfig-schema.js';
import { Secret } from './secret.js';

/** A credential plugin as a kubeconfig names it (client-go: tools/clientcmd/api/v1 ExecConfig). */
export interface ExecPlugin {
  /** API version of the exchange: `client.authentication.k8s.io/v1` or `v1beta1`. */
  readonly apiVersion: string;
  /** Found on PATH, or an absolute path. */
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, Secret>>;
  /** Cluster information for the plugin, when the kubeconfig asks for it. */
  readonly cluster: Readonly<Record<string, string>> | null;
}

/** Cloud logins take a few seconds; a credential is a few kilobytes long. */
const LIMITS: ProgramLimits = { withinMs: 30_000, bytes: 256 * 1024 };

/**
 * Runs the plugin once: no terminal, no shell, bounded time and output. Neither its output nor its arguments appear in
 * errors, because both may hold secrets. client-node's own runner bounds nothing and puts the plugin's stderr into errors.
 */
export async function runExecPlugin(
  plugin: ExecPlugin,
  limits: ProgramLimits = LIMITS,
): Promise<ExecCredential> {
  const { command, arguments: given, ...settings } = plugin;
  const program = { command, arguments: given, env: environmentOf(settings) };
  const { exit, output } = await printedBy(program, limits);
  const what = `credential plugin ${command}`;
  switch (exit) {
    case '0':
      return readExecCredential(output.toString('utf8'), plugin.apiVersion, what);
    case 'late':
      throw failure('Timeout', `${what} gave no credential in ${String(limits.withinMs)} ms`);
    case 'long':
      throw failure('Unauthorized', `${what} wrote more than ${String(limits.bytes)} bytes`);
    case 'absent':
      throw failure('Unauthorized', `${what} cannot be started: is it installed here, on PATH?`);
    default:
      throw failure(
        'Unauthorized',
        `${what} ended with ${exit}: run it by hand as the worker's user to see why`,
      );
  }
}

/** As with kubectl: the environment of this process, what the kubeconfig adds, and what the protocol prescribes. */
function environmentOf({
  apiVersion,
  environment,
  cluster,
}: Pick<ExecPlugin, 'apiVersion' | 'environment' | 'cluster'>): NodeJS.ProcessEnv {
  const added = Object.entries(environment).map(([name, value]) => [name, value.reveal()] as const);
  const spec = { interactive: false, ...(cluster === null ? {} : { cluster }) };
  return {
    // eslint-disable-next-line no-restricted-properties -- a process begins here; nothing of ours is decided by it
    ...process.env,
    ...Object.fromEntries(added),
    KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion, kind: 'ExecCredential', spec }),
  };
}

interface ExecCredential {
  readonly token: Secret;
  /** Epoch ms; null when the plugin does not state it. */
  readonly expiresAtMs: number | null;
}

/** client-go: pkg/apis/clientauthentication ExecCredential. */
const Answer = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().min(1).optional(),
    expirationTimestamp: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});

/** Reads what a plugin printed; errors say what is wrong, never what was printed. */
function readExecCredential(output: string, apiVersion: string, what: string): ExecCredential {
  const read = Answer.safeParse(parsed(output));
  if (!read.success || read.data.apiVersion !== apiVersion) {
    throw failure('Unauthorized', `${what} printed no ExecCredential of ${apiVersion}`);
  }
  const { token, expirationTimestamp } = read.data.status;
  if (token === undefined) {
    throw failure(
      'NotSupported',
      `${what} gave a client certificate: only a token is taken from a plugin`,
    );
  }
  const expiresAtMs = expirationTimestamp === undefined ? null : Date.parse(expirationTimestamp);
  if (Number.isNaN(expiresAtMs)) {
    throw failure(
      'Unauthorized',
      `${what} returned an expirationTimestamp that is not a valid time`,
    );
  }
  return { token: new Secret(token), expiresAtMs };
}

function parsed(output: string): unknown {
  try {
    return parseBoundedJson(output);
  } catch {
    return null;
  }
}

/** Cluster information passed to a plugin when the kubeconfig asks for it (client-go: clientauthentication Cluster). */
const TOLD = ['server', 'tls-server-name', 'certificate-authority-data'] as const;

/** A plugin as the kubeconfig names it; values of its environment may be secrets. */
export function pluginOf(
  { apiVersion, command, args, env, provideClusterInfo }: ExecEntry,
  cluster: ClusterEntry,
): ExecPlugin {
  const environment = (env ?? []).map(({ name, value }) => [name, new Secret(value)] as const);
  const told = TOLD.flatMap((name) => {
    const value = cluster[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...{ apiVersion, command, arguments: args ?? [] },
    environment: Object.fromEntries(environment),
    cluster: provideClusterInfo === true ? Object.fromEntries(told) : null,
  };
}
