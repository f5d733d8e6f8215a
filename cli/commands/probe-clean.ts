import { cleanProbe, type CleanedProbe } from '../../activities/clean-probe.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { onClusterFromHere } from '../plan/inspect-cluster.js';
import { chosenCluster } from '../plan/make-plan.js';

const WAITED_MS = 180_000;

/** `probe clean`: deletes what the probe of a run that was ended by force has left on a cluster. */
export async function cleanProbes(cli: Cli): Promise<ExitStatus> {
  const { cluster, fleet } = await chosenCluster(cli);
  const { name } = cluster;
  const wait = {
    timings: fleet.timings,
    withinMs: cli.options.durationMs('timeout') ?? WAITED_MS,
    signal: cli.signal,
  };
  const result = await onClusterFromHere(cluster, fleet.timings, ({ api }) =>
    cleanProbe(api, wait),
  );
  if (isText(cli)) cli.terminal.out(`${name}: ${WORDS[result]}\n`);
  else printDocument(cli, 'ProbeCleaning', { cluster: name, result });
  return result === 'leaving' ? 'inconclusive' : 'reached';
}

const WORDS: Readonly<Record<CleanedProbe, string>> = {
  absent: 'no probe has left anything',
  deleted: 'deleted Service ccm-migrate-probe/balancer and its load balancer',
  leaving:
    'asked for the deletion of Service ccm-migrate-probe/balancer, which waits for the owner of the service controller; `kubectl describe service balancer -n ccm-migrate-probe` shows its Events',
};
