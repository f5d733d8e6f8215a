import { cleanProbe, type CleanedProbe } from '../../activities/clean-probe.js';
import { parseDuration } from '../../config/duration.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { onClusterFromHere } from '../plan/inspect-cluster.js';
import { chosenCluster } from '../plan/make-plan.js';

/** `probe clean`: deletes what the probe of a run that was ended by force has left on a cluster. */
export async function cleanProbes(cli: Cli): Promise<ExitStatus> {
  const { cluster, fleet } = await chosenCluster(cli);
  const { name } = cluster;
  const wait = { timings: fleet.timings, withinMs: waitedMs(cli), signal: cli.signal };
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

function waitedMs({ options }: Cli): number {
  const written = options.text('timeout') ?? '3m';
  const ms = parseDuration(written);
  if (ms !== null) return ms;
  throw new UsageError(`--timeout ${written}: a duration such as 5m`);
}
