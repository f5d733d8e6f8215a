import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../../base/auth/written-kubeconfig.js';
import { USERS, type ClusterPki } from '../cluster/pki.js';
import { awaited } from '../host/awaited.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { NO_PROXY, startLabProcess, type StartedProcess } from '../host/started-process.js';
import { rootOnlyFolder } from '../host/probe-host.js';
import { scrapeConfig } from './scrape-config.js';

export interface PrometheusOptions {
  readonly cluster: { readonly name: string; readonly server: string; readonly pki: ClusterPki };
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

/** A Prometheus that scrapes the API server and the nodes' components of one cluster. */
export class LabPrometheus {
  readonly url: string;
  private readonly options: PrometheusOptions;
  private process: StartedProcess | null = null;

  constructor(options: PrometheusOptions) {
    this.options = options;
    this.url = `http://${options.address}`;
  }

  /** Resolves once it is ready, again too after `kill`, with the data that it had stored. */
  async start(): Promise<void> {
    const { folder, cgroup, address, env } = this.options;
    rootOnlyFolder(folder);
    this.process = startLabProcess({
      name: 'prometheus',
      command: [
        'prometheus',
        `--config.file=${writeConfig(this.options)}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        '--log.level=warn',
      ],
      cgroup,
      env: { ...env, ...NO_PROXY },
      logFile: join(folder, 'prometheus.log'),
    });
    await untilReady(this.url, this.process);
  }

  /** SIGKILL; it stays down until `start`. */
  async kill(): Promise<void> {
    this.process?.signal('SIGKILL');
    await this.process?.ended;
  }
}

/** Writes its configuration with credentials of its own, and returns the path. */
function writeConfig({ cluster, folder, targetsUrl }: PrometheusOptions): string {
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
  return file('prometheus.yml', config);
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
