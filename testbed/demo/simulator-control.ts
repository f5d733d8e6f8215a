import { createHash, X509Certificate } from 'node:crypto';
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

/** What the simulator's journal says about a request to a cluster. */
export interface SimulatedRequest extends JournaledRequest {
  /** Simulated time of arrival. */
  readonly atMs: number;
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  /** Empty unless a fault struck it. */
  readonly fault: string;
  readonly tookEffect: boolean;
}

/** The simulator's control endpoint of one cluster: docs/contracts/simulator-control.md. */
export interface SimulatorControl extends TruthSource {
  journal(since: number): Promise<readonly SimulatedRequest[]>;
  /** Cuts every connection to the cluster for so many simulated milliseconds. */
  cutOff(forMs: number): Promise<void>;
  /** The cloud refuses the CCM load balancers from now on, and a user creates a Service of this name that needs one. */
  breakCloud(service: string): Promise<void>;
  /** Asks the cluster as its administrator; a body makes it a POST. @throws Error for an answer that is no success. */
  ask(path: string, body?: object): Promise<unknown>;
  /** SHA-256 of the certificate of the cluster's authority, in hex: how access to nodes names the cluster. */
  readonly authority: string;
}

/** For a holder of the administrator's kubeconfig of the cluster. */
export async function simulatorControl(kubeconfig: string): Promise<SimulatorControl> {
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
      return (answer as { readonly items: readonly SimulatedRequest[] }).items;
    },
    cutOff: async (forMs) => {
      const requests = [{ forMs, fault: 'resetBefore' }];
      await ask(access, '/simulator/v1/faults', { requests });
    },
    ask: (path, body) => ask(access, path, body),
    authority: createHash('sha256').update(new X509Certificate(access.ca).raw).digest('hex'),
    breakCloud: async (service) => {
      const error = '403: the role of the CCM may not create load balancers';
      const faults = [{ controller: 'service', manager: 'ccm', cloud: 'fail', error }];
      await ask(access, '/simulator/v1/cloud-faults', { faults });
      await ask(access, '/api/v1/namespaces/default/services', balanced(service));
    },
  };
}

function balanced(name: string): object {
  return {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'default', name } },
    spec: { type: 'LoadBalancer', selector: { app: name }, ports: [{ port: 443 }] },
  };
}

const ANSWER_WITHIN_MS = 10_000;

/** A body makes it a POST. */
function ask(access: Access, path: string, body?: object): Promise<unknown> {
  const options = {
    ca: access.ca,
    headers: { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    method: body === undefined ? 'GET' : 'POST',
  };
  return askJson(
    (onAnswer) => {
      const call = request(`${access.server}${path}`, options, onAnswer);
      if (body !== undefined) call.write(JSON.stringify(body));
      return call;
    },
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
