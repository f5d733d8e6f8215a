import { request } from 'node:http';
import { join } from 'node:path';
import { askJson } from './ask-json.js';
import type { JoinedTruth } from '../base/truth/truth.js';
import type { JoinedSources, JournaledRequest, TruthSource } from './truth-source.js';

const ANSWER_WITHIN_MS = 20_000;

/** The ground truth of a lab's cluster, over the socket in the lab's folder that only root can enter (docs/lab.md). */
export function labControl(folder: string, cluster: string): TruthSource {
  const socketPath = join(folder, 'control.sock');
  const query = `cluster=${encodeURIComponent(cluster)}`;
  const truth = async (): Promise<JoinedTruth> =>
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- testbed/lab/truth/cluster-truth.ts; our own lab answers
    (await ask(socketPath, `/truth?${query}`)) as JoinedTruth;
  return {
    name: 'the lab',
    truth,
    sources: async () => joined(await truth()),
    journalsNodes: false,
    journal: async (since) => {
      const answer = await ask(socketPath, `/requests?${query}&since=${since}`);
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- testbed/lab/truth/truth-keeper.ts
      return (answer as { readonly items: readonly JournaledRequest[] }).items;
    },
  };
}

function joined({ contradictions, sources }: JoinedTruth): JoinedSources {
  const { leaseWrites, processes, metricSamples, cloudCalls, confirmed, unconfirmed } = sources;
  const open = unconfirmed.length === 0 ? '' : `, ${unconfirmed.length} not sampled in time`;
  const told = [
    `${leaseWrites} writes of Leases in the audit log`,
    `${processes} processes`,
    `${cloudCalls} calls to the cloud`,
    `${metricSamples} pages of metrics (${confirmed} spans confirmed${open})`,
  ].join(', ');
  return { contradictions, told };
}

function ask(socketPath: string, path: string): Promise<unknown> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  return askJson(
    (onAnswer) => request({ socketPath, path, signal }, onAnswer),
    (_, body) => `the lab answers ${path} with ${body}`,
  );
}
