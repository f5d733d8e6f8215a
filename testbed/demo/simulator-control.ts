import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { parseYamlDocuments } from '../../domain/yaml/parsed-documents.js';
import { listAt, textAt } from '../base/json.js';
import type { Truth } from '../base/truth/truth.js';
import { askJson } from './ask-json.js';
import type { JournaledRequest, TruthSource } from './truth-source.js';

interface Access {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

/** The simulator's control endpoint of one cluster, for a holder of its administrator's kubeconfig. */
export async function simulatorControl(kubeconfig: string): Promise<TruthSource> {
  const access = accessOf(await readFile(kubeconfig, 'utf8'));
  return {
    name: 'the simulator',
    sources: () => Promise.resolve(null),
    journalsNodes: true,
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- docs/contracts/simulator-control.md; our own simulator answers
    truth: async () => (await ask(access, '/simulator/v1/truth')) as Truth,
    journal: async (since) => {
      const answer = await ask(access, `/simulator/v1/journal?since=${since}`);
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- as above
      return (answer as { readonly items: readonly JournaledRequest[] }).items;
    },
  };
}

const ANSWER_WITHIN_MS = 10_000;

function ask(access: Access, path: string): Promise<unknown> {
  const options = {
    ca: access.ca,
    headers: { authorization: `Bearer ${access.token}` },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  };
  return askJson(
    (onAnswer) => request(`${access.server}${path}`, options, onAnswer),
    (status) => `${path}: answered ${String(status)}`,
  );
}

/** The simulator writes kubeconfigs with one cluster, one user and everything embedded. */
function accessOf(kubeconfig: string): Access {
  const config: unknown = parseYamlDocuments(kubeconfig).documents[0]?.value;
  const [cluster] = listAt(config, 'clusters');
  const server = textAt(cluster, 'cluster', 'server');
  const ca = textAt(cluster, 'cluster', 'certificate-authority-data');
  const token = textAt(listAt(config, 'users')[0], 'user', 'token');
  if (server === '' || ca === '' || token === '') {
    throw new Error("the simulator's kubeconfig has no server, certificate authority or token");
  }
  return { server, ca: Buffer.from(ca, 'base64').toString('utf8'), token };
}
