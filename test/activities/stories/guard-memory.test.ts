import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { endGuards, guardBeside } from '../guard-beside.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const MINUTE = 60_000;

describe('reports and memory of a guard', () => {
  let environment: Environment;
  afterEach(async () => {
    await endGuards();
    await environment.close();
  });

  const opened = async (options: Parameters<typeof openEnvironment>[0] = {}): Promise<void> => {
    const timings = { fenceRenewMs: 5_000, guardMs: 1_000, requestMs: 10_000, ...options.timings };
    environment = await openEnvironment({ spec: { nodes: 2 }, ...options, timings });
    await environment.fence();
  };
  it('a guard heartbeats at a third of its heartbeat timeout, and at once when something has changed', async () => {
    await opened({ timings: { heartbeatMs: 30_000 } });
    const guard = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    expect(guard.beats.length).toBeGreaterThanOrEqual(6);
    expect(guard.beats.length).toBeLessThanOrEqual(9);
    const since = environment.clock.nowMs();
    environment.cluster.pauseProcess('cp-2', 'kcm');
    await environment.clock.sleep(5_000);
    const told = guard.beats.filter(({ memory }) =>
      memory.breaches.some(({ code }) => code === 'CCM3008'),
    );
    expect((told[0]?.atMs ?? Infinity) - since).toBeLessThanOrEqual(2_000);
    await guard.end();
  });

  it('a guard counts the time between two guards of a run as unknown, and continues all other figures', async () => {
    await opened();
    const first = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    const before = await first.end();
    expect(before.ownership.unknownSeconds).toBe(0);
    await environment.clock.sleep(2 * MINUTE);
    const second = guardBeside(environment, { memory: before.memory });
    await environment.clock.sleep(10_000);
    const after = await second.end();
    expect(after.observations).toBeGreaterThan(before.observations);
    expect(after.ownership.unknownSeconds).toBeGreaterThanOrEqual(119);
    expect(after.ownership.unknownSeconds).toBeLessThanOrEqual(125);
  });

  it('a guard counts what a dead worker could not observe as unknown, and not a short change of workers', async () => {
    await opened();
    const first = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    await first.end();
    await environment.clock.sleep(1_000);
    const live = guardBeside(environment, { lastHeartbeat: (await first.end()).memory });
    await environment.clock.sleep(10_000);
    const { memory, ownership } = await live.end();
    expect(ownership.unknownSeconds).toBe(0);
    await environment.clock.sleep(MINUTE);
    const cached = guardBeside(environment, { lastHeartbeat: memory });
    await environment.clock.sleep(10_000);
    expect((await cached.end()).ownership.unknownSeconds).toBeGreaterThanOrEqual(59);
  });

  it('a guard counts the time without a response of the API server as unknown, and reports it once', async () => {
    await opened();
    let isAway = false;
    const guard = guardBeside(environment, {
      api: (api) => ({
        list: async (...given) => {
          if (isAway) throw failure('Unavailable', 'connection refused');
          return api.list(...given) as never;
        },
      }),
    });
    await environment.clock.sleep(10_000);
    isAway = true;
    await environment.clock.sleep(MINUTE);
    expect(guard.beats.at(-1)?.memory.apiReachable).toBe(false);
    isAway = false;
    await environment.clock.sleep(10_000);
    const { ownership, memory } = await guard.end();
    expect(memory.apiReachable).toBe(true);
    expect(ownership.unknownSeconds).toBeGreaterThanOrEqual(58);
    expect(guard.warnings).toEqual([
      'an observation of the guard failed',
      'the guard observes the cluster again',
    ]);
  });

  it('a guard records a node that is out of reach, and reports it once', async () => {
    await opened();
    const guard = guardBeside(environment);
    await environment.clock.sleep(5_000);
    environment.cluster.partitionNode('cp-2');
    await environment.clock.sleep(MINUTE);
    expect(guard.beats.at(-1)?.memory.reachable).toEqual({ 'cp-1': true, 'cp-2': false });
    environment.cluster.healNode('cp-2');
    await environment.clock.sleep(10_000);
    const { memory } = await guard.end();
    expect(memory.reachable).toEqual({ 'cp-1': true, 'cp-2': true });
    expect(guard.warnings).toEqual(['a node is unreachable', 'a node answers again']);
  });

  it('a guard reports the same breaches at most every half minute; the fence has them at once', async () => {
    await opened();
    const guard = guardBeside(environment);
    await environment.clock.sleep(3_000);
    for (let count = 0; count < 6; count += 1) {
      environment.cluster.pauseProcess('cp-2', 'kcm');
      await environment.clock.sleep(4_000);
      environment.cluster.resumeProcess('cp-2', 'kcm');
      await environment.clock.sleep(4_000);
    }
    await guard.end();
    const same = guard.told.filter((codes) => codes === 'CCM3008');
    expect(same.length).toBeGreaterThanOrEqual(1);
    expect(same.length).toBeLessThanOrEqual(2);
  });
});
