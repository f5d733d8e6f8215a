import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { NOT_READ, type CachedReads } from '../../../activities/observe/cached-reads.js';
import {
  collectSnapshot,
  type CollectedSnapshot,
} from '../../../activities/observe/collect-snapshot.js';
import { endGuards, guardBeside } from '../guard-beside.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const NODES = 2;

describe('what an observation asks of a node', () => {
  let environment: Environment;
  afterEach(async () => {
    await endGuards();
    await environment.close();
  });

  const asked = async (): Promise<number> =>
    (await environment.journal()).filter(({ path }) => path.includes('/snapshot')).length;
  const observed = async (
    carried: CachedReads,
  ): Promise<{ readonly snapshot: CollectedSnapshot; readonly requests: number }> => {
    const before = await asked();
    const { ports, clock, context } = environment;
    const { cluster, policy, timings } = context;
    const snapshot = await collectSnapshot(ports, clock, {
      ...{ cluster, policy, timings, firstSeen: [], carried, refresh: [], attempts: 1 },
    });
    return { snapshot, requests: (await asked()) - before };
  };

  it('one request where its managers name the files that they named before, two where they name others', async () => {
    environment = await openEnvironment({ spec: { nodes: NODES } });
    const first = await observed(NOT_READ);
    expect(first.requests).toBe(2 * NODES);
    const { cached, live } = first.snapshot;
    expect([...cached.namedFiles.keys()]).toEqual(['cp-1', 'cp-2']);
    const second = await observed(cached);
    expect(second.requests).toBe(NODES);
    const others = { files: ['/etc/other'], directories: ['/etc/other.d'] };
    const namedFiles = new Map([...cached.namedFiles.keys()].map((node) => [node, others]));
    const third = await observed({ ...cached, namedFiles });
    expect(third.requests).toBe(2 * NODES);
    for (const { snapshot } of [second, third]) {
      expect(snapshot.cached.namedFiles).toEqual(cached.namedFiles);
      for (const [node, found] of live.snapshots) {
        expect(snapshot.live.snapshots.get(node)?.directories).toEqual(found?.directories);
      }
    }
  });

  it('a guard asks each node once in each observation but its first', async () => {
    environment = await openEnvironment({
      ...{ spec: { nodes: NODES }, timings: { guardMs: 1_000, fenceRenewMs: 5_000 } },
    });
    await environment.fence();
    const before = await asked();
    const guard = guardBeside(environment);
    await environment.clock.sleep(10_000);
    const { observations } = await guard.end();
    expect(observations).toBeGreaterThan(5);
    expect((await asked()) - before).toBeLessThanOrEqual(NODES * (observations + 2));
  });
});
