import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Truth } from '../../testbed/base/truth/truth.js';
import type { JournalEntry } from '../../testbed/simulator/control/request-journal.js';
import { clientOf } from '../testbed/simulator/api/https-client.js';

export type Moment = 'before' | 'after';

/** Where to park a request: the next mutating one whose verb and path match. */
export interface Snare {
  readonly verb: string;
  readonly pathIncludes: string;
  readonly moment: Moment;
  /** From 1: how many must match. */
  readonly nth: number;
}

export interface Parked {
  /** In the journal. */
  readonly index: number;
  readonly moment: Moment;
}

/** The simulator's own endpoint for one cluster. */
export interface SimulatorProxy {
  truth(): Promise<Truth>;
  journal(since: number): Promise<readonly JournalEntry[]>;
  /** Replaces all snares; parked requests stay parked. */
  set(snares: readonly Snare[]): Promise<void>;
  /** Strikes requests by their number from now on, from 0; replaces all snares. */
  strike(indexes: readonly number[], fault: string): Promise<void>;
  /** Whether anything was parked since `forget`; makes no request. */
  rang(): boolean;
  forget(): Promise<void>;
  parked(): Promise<readonly Parked[]>;
  release(): Promise<void>;
  /** Whether a file is on a node. */
  hasFile(node: string, path: string): Promise<boolean>;
  /** Run that holds the fence; empty once it is released. */
  fenceHolder(): Promise<string>;
}

const FENCE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm-migrate';
const CONTROL = '/simulator/v1';
const FAULTS = { before: 'pauseBefore', after: 'pauseAfter' } as const;

export function openProxy(kubeconfig: string, folder: string): SimulatorProxy {
  const client = clientOf(kubeconfig);
  const bell = join(folder, 'parked');
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await client.call(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.json;
  };
  return {
    truth: () => ask('GET', `${CONTROL}/truth`),
    journal: async (since) => (await ask('GET', `${CONTROL}/journal?since=${String(since)}`)).items,
    set: async (snares) => {
      const requests = snares.map(({ verb, pathIncludes, moment, nth }) => ({
        match: { verb, pathIncludes, mutating: true, nth },
        fault: FAULTS[moment],
        signalFile: bell,
      }));
      await ask('POST', `${CONTROL}/faults`, { requests });
    },
    strike: async (indexes, fault) => {
      await ask('POST', `${CONTROL}/faults`, {
        requests: indexes.map((index) => ({ index, fault })),
      });
    },
    rang: () => existsSync(bell),
    forget: () => rm(bell, { force: true }),
    parked: async () => {
      const { parked } = await ask('GET', `${CONTROL}/faults`);
      return parked.map(({ index, fault }: { index: number; fault: string }) => ({
        index,
        moment: fault === FAULTS.before ? 'before' : 'after',
      }));
    },
    release: async () => {
      await ask('POST', `${CONTROL}/faults/release`);
    },
    hasFile: async (node, path) => {
      const { metadata } = await ask('GET', '/api/v1/namespaces/kube-system');
      const { authority } = client;
      const query = new URLSearchParams({ path, cluster: metadata.uid, authority }).toString();
      const file = `/node-access/v2/nodes/${node}/files?${query}`;
      const { status, text } = await client.call('GET', file);
      if (status !== 200 && status !== 404) throw new Error(`GET ${file}: ${text}`);
      return status === 200;
    },
    fenceHolder: async () => (await ask('GET', FENCE)).spec.holderIdentity ?? '',
  };
}
