import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../devserver/free-port.js';
import { stopProcess } from '../../../../devserver/stop-process.js';
import { untilSo } from '../truth/until.js';

const SHIPPED = fileURLToPath(
  new URL('../../../../deploy/monitoring/alertmanager.yaml', import.meta.url),
);
const HOST = '127.0.0.1';
const STOP_WITHIN_MS = 10_000;

export interface AlertsOptions {
  readonly folder: string;
  /** Where `ccm-migrate server` listens. */
  readonly hooksUrl: string;
  readonly tokenFile: string;
  readonly clusters: readonly { readonly uid: string }[];
}

/** A Prometheus with one rule, and an Alertmanager with the route and receiver that we ship, as Debian packages them. */
export interface RealAlerts {
  /** From now on the clusters' figure is bad. */
  readonly turnBad: () => void;
  /** When each alert began to fire, by its cluster's UID, in ms since the epoch. */
  readonly firingSince: () => Promise<ReadonlyMap<string, number>>;
  readonly close: () => Promise<void>;
}

export async function openRealAlerts(options: AlertsOptions): Promise<RealAlerts> {
  const { folder, clusters } = options;
  const figures = { bad: 0 };
  const [scraped, prometheus, alertmanager] = [
    await serveFigures(() => figures.bad, clusters),
    `${HOST}:${await freePort(HOST)}`,
    `${HOST}:${await freePort(HOST)}`,
  ];
  const processes: ChildProcess[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(processes.map((each) => stopProcess(each, STOP_WITHIN_MS)));
    scraped.closeAllConnections();
    scraped.close();
  };
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'rules.yaml'), RULES);
    const config = prometheusConfig(portOf(scraped), alertmanager);
    await writeFile(join(folder, 'prometheus.yaml'), config);
    await writeFile(join(folder, 'alertmanager.yaml'), await shippedConfig(options));
    processes.push(startAlertmanager(folder, alertmanager), startPrometheus(folder, prometheus));
    for (const address of [alertmanager, prometheus]) await untilReady(address);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    close,
    turnBad: () => {
      figures.bad = 1;
    },
    firingSince: () => firingIn(prometheus),
  };
}

const RULES = `groups:
  - name: cloud
    rules:
      - alert: CloudRefusesCalls
        expr: cloud_refuses_calls == 1
        labels: { ccm_migrate: pause }
        annotations: { summary: the cloud refuses calls }
`;

const prometheusConfig = (port: number, alertmanager: string): string => `global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files: [rules.yaml]
scrape_configs:
  - job_name: cloud
    static_configs: [{ targets: ['${HOST}:${port}'] }]
alerting:
  alertmanagers:
    - static_configs: [{ targets: ['${alertmanager}'] }]
`;

/** What we ship, with the two parts replaced that it tells its reader to replace. */
async function shippedConfig({ hooksUrl, tokenFile }: AlertsOptions): Promise<string> {
  const shipped = await readFile(SHIPPED, 'utf8');
  const own = shipped
    .replace('https://ccm-migrate.example.net:8484', hooksUrl)
    .replace('/etc/alertmanager/ccm-migrate.token', tokenFile);
  if (!own.includes(hooksUrl) || !own.includes(tokenFile))
    throw new Error('the shipped configuration has other places for the address and the token');
  return own;
}

async function serveFigures(
  value: () => number,
  clusters: AlertsOptions['clusters'],
): Promise<Server> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    const lines = clusters.map(
      ({ uid }) => `cloud_refuses_calls{cluster_uid="${uid}"} ${String(value())}`,
    );
    response.end(`${lines.join('\n')}\n`);
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function startAlertmanager(folder: string, address: string): ChildProcess {
  return startProcess(folder, 'prometheus-alertmanager', [
    `--config.file=${join(folder, 'alertmanager.yaml')}`,
    `--storage.path=${join(folder, 'alertmanager')}`,
    `--web.listen-address=${address}`,
    '--cluster.listen-address=',
  ]);
}

function startPrometheus(folder: string, address: string): ChildProcess {
  return startProcess(folder, 'prometheus', [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--web.listen-address=${address}`,
  ]);
}

/** One that is not installed never answers, which ends the wait for it. */
function startProcess(folder: string, program: string, words: readonly string[]): ChildProcess {
  const log = openSync(join(folder, `${program}.log`), 'a', 0o600);
  const child = spawn(program, words, { stdio: ['ignore', log, log] });
  child.on('error', (error) => process.stderr.write(`${program}: ${error.message}\n`));
  return child;
}

async function untilReady(address: string): Promise<void> {
  await untilSo(`${address} is ready`, async () => {
    const answer = await fetch(`http://${address}/-/ready`).catch(() => null);
    return answer?.ok === true;
  });
}

interface ListedAlert {
  readonly state: string;
  readonly activeAt: string;
  readonly labels: Readonly<Record<string, string>>;
}

async function firingIn(prometheus: string): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`http://${prometheus}/api/v1/alerts`);
  const { data } = (await answer.json()) as { data: { alerts: readonly ListedAlert[] } };
  return new Map(
    data.alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels, activeAt }) => [labels['cluster_uid'] ?? '', Date.parse(activeAt)]),
  );
}
