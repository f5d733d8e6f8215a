import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { connectCluster } from '../../../activities/adapters/connect.js';
import { closeTransports } from '../../../activities/adapters/shared-transports.js';
import { realClock } from '../../../activities/dependencies.js';
import { openGateSampler } from '../../../activities/gates/open-sampler.js';
import { ALL_CACHED_READS, NOT_READ } from '../../../activities/observe/cached-reads.js';
import {
  collectSnapshot,
  type CollectedSnapshot,
} from '../../../activities/observe/collect-snapshot.js';
import { inTurn } from '../../../activities/observe/in-turn.js';
import type { ClusterPorts, KubernetesApi } from '../../../activities/ports.js';
import { type InventoryCluster, loadInventory } from '../../../config/loaded-inventories.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import { addObservation, emptyTrace } from '../../../domain/ownership/ownership.js';
import type { MetricGatePolicy } from '../../../domain/policy.js';
import { startSimulator, type StartedSimulator } from '../../../testbed/simulator/server.js';
import { TIMINGS } from '../run-context.js';
import { simulatorPolicy } from '../simulator-policy.js';

jest.setTimeout(120_000);

const REF = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };

/** Ports whose `get` begins, and ends when it is told to; nothing else is asked. */
function openGets(): {
  readonly ports: ClusterPorts;
  readonly begun: string[];
  readonly end: (name: string, error?: Error) => void;
} {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const get = ({ name }: { readonly name: string }): Promise<null> => {
    begun.push(name);
    return new Promise((resolve, reject) => {
      ends.set(name, (error) => {
        if (error === undefined) resolve(null);
        else reject(error);
      });
    });
  };
  const api: Partial<KubernetesApi> = { get };
  const ports: Partial<ClusterPorts> = { api: api as KubernetesApi, machines: null };
  return { ports: ports as ClusterPorts, begun, end: (name, error) => ends.get(name)?.(error) };
}

const turns = async (): Promise<void> => {
  for (let count = 0; count < 5; count += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('requests in turn', () => {
  it('a request begins when the one before it has ended, also where that failed', async () => {
    const { ports, begun, end } = openGets();
    const { api } = inTurn(ports);
    const first = api.get({ ...REF, name: 'first' }).catch(String);
    const second = api.get({ ...REF, name: 'second' });
    await turns();
    expect(begun).toEqual(['first']);
    end('first', new Error('refused'));
    expect(await first).toContain('refused');
    await turns();
    expect(begun).toEqual(['first', 'second']);
    end('second');
    expect(await second).toBeNull();
  });

  it('a request that hangs holds up the ones behind it for a moment only', async () => {
    const { ports, begun, end } = openGets();
    const { api } = inTurn(ports);
    const hangs = api.get({ ...REF, name: 'hangs' });
    const others = ['second', 'third'].map((name) => api.get({ ...REF, name }));
    while (begun.length < 3) {
      await turns();
      end('second');
    }
    end('third');
    await Promise.all(others);
    expect(begun).toEqual(['hangs', 'second', 'third']);
    end('hangs');
    await hangs;
  });

  it('an observation waits for nothing that an earlier one has left behind', async () => {
    const { ports, begun } = openGets();
    void inTurn(ports).api.get({ ...REF, name: 'left behind' });
    void inTurn(ports).api.get({ ...REF, name: 'of the next' });
    await turns();
    expect(begun).toEqual(['left behind', 'of the next']);
  });
});

const GATES: MetricGatePolicy = {
  ...{ catalogue: 'nodes', objects: 'watch', except: [], everyMs: 15_000, unmeasuredMs: 120_000 },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

/** What the gates say of one reading of everything that they are judged by. */
async function readGates(
  ports: ClusterPorts,
  { observation, leases, serverTimeMs }: CollectedSnapshot,
): Promise<readonly GateVerdict[]> {
  const { controllers } = simulatorPolicy().lock;
  const trace = emptyTrace(controllers, observation.observedAtMs);
  const sampler = openGateSampler(
    {
      ...{ ports, clock: realClock, cluster: 'c1', timings: TIMINGS, onNews: () => undefined },
      ...{
        signal: new AbortController().signal,
        log: { info: () => undefined, warn: () => undefined },
      },
    },
    GATES,
    {},
  );
  const seen = addObservation(trace, observation, () => null);
  await sampler.observed({ observation, leases, serverTimeMs, trace: seen });
  await sampler.settled();
  await sampler.close();
  return sampler.verdicts();
}

describe('connections of a cluster that rests', () => {
  /** Connections that open while `work` runs; each try on its own cluster connection. */
  async function connections(
    entry: InventoryCluster,
    work: (ports: ClusterPorts) => Promise<unknown>,
  ): Promise<number> {
    let opened = 0;
    const count = (): void => void (opened += 1);
    const view = await connectCluster(entry);
    subscribe('undici:client:connected', count);
    await work(view);
    unsubscribe('undici:client:connected', count);
    await view.close();
    await closeTransports();
    return opened;
  }

  /** A request that takes longer than a moment lets the next one begin beside it: on a busy machine not every try shows it. */
  async function fewest(open: () => Promise<number>): Promise<number> {
    let least = Infinity;
    for (let tries = 0; least > 1 && tries < 5; tries += 1) least = Math.min(least, await open());
    return least;
  }

  const observe = (ports: ClusterPorts, unhurried: boolean): Promise<CollectedSnapshot> =>
    collectSnapshot(ports, realClock, {
      ...{ cluster: { name: 'c1', uid: '' }, policy: simulatorPolicy(), timings: TIMINGS },
      ...{ firstSeen: [], carried: NOT_READ, refresh: ALL_CACHED_READS, attempts: 1, unhurried },
    });

  let simulator: StartedSimulator;
  let stateDir: string;
  let entry: InventoryCluster;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'ccm-migrate-in-turn-'));
    const clusters = [{ id: 'c1', spec: { nodes: 3 } }];
    simulator = await startSimulator({ clusters, port: 0, speed: 1, stateDir });
    const [first] = await loadInventory(simulator.inventoryPath);
    if (first === undefined) throw new Error('the simulator wrote an empty inventory');
    entry = first;
  });
  afterAll(async () => {
    await simulator.stop();
    await rm(stateDir, { recursive: true });
  });

  it('a whole observation that nothing waits for needs one connection, any other several', async () => {
    expect(await fewest(() => connections(entry, (ports) => observe(ports, true)))).toBe(1);
    expect(await connections(entry, (ports) => observe(ports, false))).toBeGreaterThan(3);
  });

  it('the readings of its gates need none beside it', async () => {
    const sampled = async (ports: ClusterPorts): Promise<void> => {
      let seen = await observe(ports, true);
      while (!seen.observation.nodes.every(({ kcm }) => kcm.processes.length > 0)) {
        await realClock.sleep(100);
        seen = await observe(ports, true);
      }
      const verdicts = await readGates(ports, seen);
      expect(verdicts.filter(({ verdict }) => verdict === 'error')).toEqual([]);
    };
    expect(await fewest(() => connections(entry, sampled))).toBe(1);
  });
});
