import { connectCluster } from '../../activities/adapters/connect.js';
import { closeTransports } from '../../activities/adapters/shared-transports.js';
import { cleanProbe, type CleanedProbe } from '../../activities/clean-probe.js';
import { parseDuration } from '../../config/duration.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import { refusalAt, UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { identify } from '../plan/inspect-cluster.js';
import { type Chosen, chosenToRead } from '../plan/make-plan.js';

/** `probe clean`: deletes what the probe of a run that was ended by force has left on a cluster. */
export async function cleanProbes(cli: Cli): Promise<ExitStatus> {
  const choice = await chosenToRead(cli);
  if (choice.kind === 'fleet')
    throw new UsageError('choose one cluster of the fleet with --cluster');
  const { name } = choice.chosen.cluster;
  const withinMs = waitedMs(cli);
  const result = await cleanOn(choice.chosen, withinMs, cli.signal);
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

async function cleanOn(
  { fleet: { timings }, cluster }: Chosen,
  withinMs: number,
  signal: AbortSignal,
): Promise<CleanedProbe> {
  try {
    const ports = await connectCluster(cluster);
    try {
      await identify(ports.api, cluster, timings.requestMs);
      return await cleanProbe(ports.api, { timings, withinMs, signal });
    } finally {
      await ports.close();
      await closeTransports();
    }
  } catch (error) {
    throw refusalAt(cluster.name, error);
  }
}
