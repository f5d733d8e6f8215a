import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { AutomationPolicy } from '../../../domain/policy.js';
import type { BoundedServer } from '../../../cli/server/bounded-server.js';
import { serveHooks } from '../../../cli/server/hook-server.js';
import { openTokenFile } from '../../../cli/server/token-file.js';
import { policyOf } from '../../support/cluster-builder.js';
import { modelCluster, type ModelCluster } from './model-cluster.js';
import { messageGate, type MigrationHandle, type MigrationLab } from './migration-run.js';

export const TOKEN = 'a-token-of-the-alertmanager';
export const OLD_TOKEN = 'a-token-that-has-expired';
export const PAUSER = 'a-token-that-may-only-pause';

/** Servers of hooks on this machine, with one file of tokens. */
export interface HookLab {
  readonly logged: readonly Readonly<Record<string, unknown>>[];
  /** Writes the file of tokens again: all of them may command the clusters and fleets of this pattern. */
  readonly scope: (pattern: string) => Promise<void>;
  /** `patienceMs`: longer than in production, because a busy machine that tests is no finding. */
  readonly serve: (client: Client, patienceMs?: number) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function openHooks(): Promise<HookLab> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-hooks-'));
  const tokens = join(folder, 'tokens.json');
  const servers: BoundedServer[] = [];
  const logged: Readonly<Record<string, unknown>>[] = [];
  return {
    logged,
    scope: async (pattern) => writeFile(tokens, tokensOf(pattern), { mode: 0o600 }),
    serve: async (client, patienceMs = 20_000) => {
      const server = await serveHooks(
        { host: '127.0.0.1', port: 0 },
        {
          ...{
            client,
            single: client,
            uidOf: () => null,
            clock: Date.now,
            turns: new Map(),
            tls: null,
            patienceMs,
            eventMetrics: () => '',
          },
          tokenFile: await openTokenFile(tokens, Date.now),
          log: (_level, fields) => void logged.push(fields),
        },
      );
      servers.push(server);
      return `http://${server.address}`;
    },
    close: async () => {
      for (const server of servers) await server.close();
      await rm(folder, { recursive: true });
    },
  };
}

function tokensOf(pattern: string): string {
  const entry = (name: string, token: string, expires: string, verbs: readonly string[]) => ({
    ...{ name, sha256: createHash('sha256').update(token).digest('hex'), expires, verbs },
    ...{ clusters: [pattern], fleets: [pattern] },
  });
  return JSON.stringify({
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AutomationTokens' },
    tokens: [
      entry('am', TOKEN, '2999-01-01T00:00:00Z', ['pause', 'rollBack']),
      entry('am-old', OLD_TOKEN, '2020-01-01T00:00:00Z', ['pause']),
      entry('pauser', PAUSER, '2999-01-01T00:00:00Z', ['pause']),
    ],
  });
}

interface GivenAlert {
  /** Its UID. */
  readonly cluster: string;
  readonly startsAt?: string;
  readonly fingerprint?: string;
  readonly verb?: string;
  readonly status?: 'firing' | 'resolved';
  readonly labels?: Readonly<Record<string, string>>;
}

/** A notification as Alertmanager sends it. */
export function notification(
  alerts: readonly GivenAlert[],
  rest: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    ...{ version: '4', groupKey: '{}:{alertname="Errors"}', truncatedAlerts: 0, receiver: 'ccm' },
    ...{ status: 'firing', groupLabels: {}, commonLabels: {}, commonAnnotations: {} },
    externalURL: 'http://alertmanager',
    alerts: alerts.map((alert) => ({
      status: alert.status ?? 'firing',
      labels: {
        ...{ alertname: 'Errors', cluster_uid: alert.cluster },
        ...(alert.verb === undefined ? {} : { ccm_migrate: alert.verb }),
        ...alert.labels,
      },
      annotations: { summary: 'load balancers fail' },
      startsAt: alert.startsAt ?? new Date().toISOString(),
      endsAt: alert.status === 'resolved' ? new Date().toISOString() : '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus',
      fingerprint: alert.fingerprint ?? 'f-1',
    })),
    ...rest,
  };
}

export interface HookReply {
  readonly status: number;
  readonly body: string;
  readonly results: readonly {
    readonly outcome: string;
    readonly run: string;
    readonly commandId: string;
    readonly verb: string;
  }[];
  readonly retryAfter: string | null;
}

export async function post(
  url: string,
  body: unknown,
  token: string | null = TOKEN,
  format = 'alertmanager',
): Promise<HookReply> {
  const response = await fetch(`${url}/v1/hooks/${format}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  const { results = [] } = (isJson ? JSON.parse(text) : {}) as Partial<HookReply>;
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, body: text, results, retryAfter };
}

export interface RunInStep {
  readonly cluster: ModelCluster;
  readonly handle: MigrationHandle;
  readonly uid: string;
  /** Ends the step that is in flight. */
  readonly release: () => void;
}

/** A run whose first step waits, so that a command finds it open. */
export async function runInStep(
  lab: MigrationLab,
  name: string,
  automation: AutomationPolicy = ALLOWED,
): Promise<RunInStep> {
  const cluster = modelCluster(name);
  const gate = messageGate();
  cluster.before = gate.pass;
  const handle = await lab.start(cluster, { policy: policyOf({ automation }) });
  await gate.reached;
  return { cluster, handle, uid: cluster.observation.cluster.uid, release: gate.open };
}

export const ALLOWED: AutomationPolicy = { pause: 'allowed', rollBack: 'allowed' };

export const signals = async (handle: MigrationHandle): Promise<number> =>
  ((await handle.fetchHistory()).events ?? []).filter(
    ({ workflowExecutionSignaledEventAttributes }) =>
      workflowExecutionSignaledEventAttributes?.signalName === 'command',
  ).length;

export const metric = async (url: string, series: string): Promise<number> => {
  const page = await (await fetch(`${url}/metrics`)).text();
  const line = page.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? NaN);
};
