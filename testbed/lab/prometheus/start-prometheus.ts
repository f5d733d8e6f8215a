import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../../base/auth/written-kubeconfig.js';
import type { LabCluster } from '../cluster/lab-cluster.js';
import { USERS } from '../cluster/pki.js';
import { awaited } from '../host/awaited.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { NO_PROXY, startLabProcess, type StartedProcess } from '../host/started-process.js';
import { rootOnlyFolder } from '../host/probe-host.js';
import { scrapeConfig } from './scrape-config.js';

export interface PrometheusOptions {
  readonly cluster: LabCluster;
  /** Its own folder in the lab's state; removed with it. */
  readonly folder: string;
  readonly cgroup: string;
  /** Host and port on which it listens. */
  readonly address: string;
  readonly targetsUrl: string;
  readonly env: Environment;
}

const PATIENCE = { withinMs: 30_000, everyMs: 100 } as const;
const LAST_WORDS = 2000;

/** Starts a Prometheus that scrapes the API server and the nodes' components; returns its URL once it is ready. */
export async function startPrometheus(options: PrometheusOptions): Promise<string> {
  const { cluster, folder, cgroup, address, targetsUrl, env } = options;
  rootOnlyFolder(folder);
  const { certificatePem, privateKeyPem } = cluster.pki.issue(USERS.prometheus);
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writePrivate(path, text);
    return path;
  };
  const config = scrapeConfig({
    cluster: cluster.name,
    apiServer: new URL(cluster.server).host,
    authorityFile: file('ca.crt', cluster.pki.authority.certificatePem),
    certificateFile: file('client.crt', certificatePem),
    keyFile: file('client.key', privateKeyPem),
    targetsUrl,
  });
  const started = startLabProcess({
    name: 'prometheus',
    command: [
      'prometheus',
      `--config.file=${file('prometheus.yml', config)}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    cgroup,
    env: { ...env, ...NO_PROXY },
    logFile: join(folder, 'prometheus.log'),
  });
  const url = `http://${address}`;
  await untilReady(url, started);
  return url;
}

async function untilReady(url: string, started: StartedProcess): Promise<void> {
  const snapshot = async (): Promise<'ready' | 'ended' | null> => {
    if (started.hasEnded()) return 'ended';
    const answer = await fetch(`${url}/-/ready`);
    await answer.body?.cancel();
    return answer.ok ? 'ready' : null;
  };
  const what = `Prometheus at ${url} is ready; its log is ${started.logFile}`;
  if ((await awaited(what, snapshot, PATIENCE)) === 'ready') return;
  const words = readFileSync(started.logFile, 'utf8').slice(-LAST_WORDS);
  throw new Error(`Prometheus at ${url} ended; its log ends:\n${words}`);
}
