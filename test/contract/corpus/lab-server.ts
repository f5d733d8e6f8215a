import { setTimeout as sleep } from 'node:timers/promises';
import { mustRun } from '../../../devserver/run-program.js';
import type { Lab } from '../../../testbed/lab/lab.js';
import type { ApiServerUnderTest } from './exchange.js';

/** Etcd's JSON gateway on its own loopback, called from within its network namespace. */
const ETCD = 'http://127.0.0.1:2379/v3/kv';

/**
 * The API server of a lab whose only machine was removed: no kubelet and no controller acts beside it, so everything that happens was
 * requested by a scenario.
 */
export async function openLabServer(lab: Lab): Promise<ApiServerUnderTest> {
  const [cluster] = lab.clusters;
  if (cluster === undefined) throw new Error('a lab without a cluster');
  await cluster.removeMachine('cp-1', { deleteNode: true });
  const namespace = `ccmlab-${lab.number}-${cluster.name}-api`;
  const ask = async (what: string, body: object): Promise<string> =>
    mustRun('nsenter', [
      ...[`--net=/run/netns/${namespace}`, 'curl', '--silent', '--fail', '--request', 'POST'],
      ...['--data', JSON.stringify(body), `${ETCD}/${what}`],
    ]);
  return {
    kubeconfigFor: (user) => cluster.pki.kubeconfig(user),
    forgetHistory: async () => {
      const answer = await ask('range', { key: Buffer.from('/').toString('base64'), limit: 1 });
      const revision = /"revision":"(\d+)"/.exec(answer)?.[1] ?? '';
      await ask('compaction', { revision });
      // Its watch cache starts with the process: a new one knows only the current versions.
      await cluster.apiServer.kill();
      cluster.apiServer.restore();
      await cluster.api.until('/readyz', 60_000);
      await sleep(0);
    },
    close: () => Promise.resolve(),
  };
}
