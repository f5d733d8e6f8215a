import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import type { ClusterPorts, KubernetesApi } from '../../../activities/ports.js';
import { USER_AGENTS } from '../../../config/names.js';
import type { MetricGatePolicy } from '../../../domain/policy.js';
import type { JournalEntry } from '../../../testbed/simulator/control/request-journal.js';
import { endGuards, guardBeside } from '../guard-beside.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const MINUTE = 60_000;

const isFence = ({ resource, name }: JournalEntry): boolean =>
  resource === 'leases' && name === 'ccm-migrate';

describe('a guard beside a run that rests', () => {
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
  const rest = (): Promise<void> =>
    environment.activities.restFence({ ...environment.context, epoch: 1 });
  const guards = async (since = 0): Promise<readonly JournalEntry[]> =>
    (await environment.journal())
      .slice(since)
      .filter((each) => each.userAgent === USER_AGENTS.guard);
  const renewals = async (since = 0): Promise<readonly JournalEntry[]> =>
    (await guards(since)).filter((entry) => isFence(entry) && entry.verb === 'patch');
  const length = async (): Promise<number> => (await environment.journal()).length;

  it('a resting guard renews the fence every half minute, in a pause too', async () => {
    await opened();
    const guard = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    const busy = (await renewals()).length;
    expect(busy).toBeGreaterThanOrEqual(10);
    await rest();
    const since = await length();
    await environment.clock.sleep(5 * MINUTE);
    const resting = (await renewals(since)).length;
    expect(resting).toBeGreaterThanOrEqual(9);
    expect(resting).toBeLessThanOrEqual(12);
    await guard.end();
  });

  it('a resting guard makes a tenth of the requests that it makes beside a step', async () => {
    await opened();
    const guard = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    const busy = (await guards()).length;
    await rest();
    const since = await length();
    await environment.clock.sleep(MINUTE);
    expect((await guards(since)).length).toBeLessThan(busy / 8);
    expect((await guard.end()).ownership.unknownSeconds).toBe(0);
  });

  it('a resting guard wakes within a second when a step begins, by one watch on the fence alone', async () => {
    await opened();
    const guard = guardBeside(environment);
    await rest();
    await environment.clock.sleep(MINUTE + 3_000);
    const since = await length();
    await environment.takePart(() => environment.take({ kind: 'recordBaseline' }));
    const entries = (await environment.journal()).slice(since);
    const woken = entries.find((each) => isFence(each) && each.userAgent === USER_AGENTS.steps);
    const [renewed] = await renewals(since);
    expect((renewed?.atMs ?? Infinity) - (woken?.atMs ?? 0)).toBeLessThanOrEqual(1_000);
    const watches = (await guards()).filter(({ path }) => path.includes('watch=true'));
    expect(watches.length).toBeGreaterThan(0);
    expect(watches.every(({ path }) => path.includes('metadata.name%3Dccm-migrate'))).toBe(true);
    expect(watches.length).toBeLessThanOrEqual(2);
    await guard.end();
  });

  it('a resting guard wakes as well where it may not watch, by reading the fence alone', async () => {
    await opened();
    const guard = guardBeside(environment, { api: () => ({ watch: refused }) });
    await rest();
    // In one go, or simulated time would pass while this story reads the journal.
    const beganMs = await environment.takePart(async () => {
      await environment.clock.sleep(2_500);
      const nowMs = environment.clock.nowMs();
      await environment.take({ kind: 'recordBaseline' });
      return nowMs;
    });
    const renewed = (await renewals()).find(({ atMs }) => atMs >= beganMs);
    // An idle interval is 10 s.
    expect((renewed?.atMs ?? Infinity) - beganMs).toBeLessThanOrEqual(5_000);
    await rest();
    await environment.clock.sleep(MINUTE);
    const before = (await guards()).length;
    await environment.clock.sleep(5 * MINUTE);
    // Not one request per second for ever.
    expect((await guards()).length - before).toBeLessThan(5 * 60);
    await guard.end();
  });

  it('a resting guard reads its gates once it has renewed the fence, by one connection for both', async () => {
    const sent: string[] = [];
    await opened({ policy: { metricGates: GATES }, wrap: (ports) => told(ports, sent) });
    const guard = guardBeside(environment);
    await rest();
    await environment.clock.sleep(MINUTE);
    sent.length = 0;
    await environment.clock.sleep(5 * MINUTE);
    const rounds = sent.join(' ').split('leases').slice(1);
    expect(rounds.filter((round) => /renewed.*page/.test(round)).length).toBeGreaterThan(1);
    expect(rounds.filter((round) => /page.*renewed/.test(round))).toEqual([]);
    await guard.end();
  });

  it('a resting guard reads its gates as often as policy bears, so that its rest leaves none of them unmeasured', async () => {
    const notes: string[] = [];
    const metricGates = { ...GATES, everyMs: 2_000, unmeasuredMs: 5_000 };
    await opened({ policy: { metricGates } });
    const guard = guardBeside(environment, {
      api: (api) => ({
        mergePatch: (ref, patch, options) => {
          notes.push(JSON.stringify(patch));
          return api.mergePatch(ref, patch, options);
        },
      }),
    });
    await rest();
    await environment.clock.sleep(5 * MINUTE);
    expect(notes.length).toBeGreaterThan(9);
    expect(notes.filter((note) => note.includes('not read for'))).toHaveLength(0);
    await guard.end();
  });

  it('a resting guard reopens its watch when it breaks', async () => {
    await opened();
    let opened2 = 0;
    const guard = guardBeside(environment, {
      api: (api) => ({
        watch: (...given) => {
          opened2 += 1;
          return opened2 === 1 ? nothing() : (api.watch(...given) as never);
        },
      }),
    });
    await rest();
    await environment.clock.sleep(MINUTE);
    expect(opened2).toBe(2);
    await guard.end();
  });
});

const GATES: MetricGatePolicy = {
  ...{ catalogue: 'nodes', except: [], everyMs: 15_000, unmeasuredMs: 2 * MINUTE },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

/** Ports that note when Leases were listed, the fence renewed and a page of metrics asked for. */
function told(ports: ClusterPorts, sent: string[]): ClusterPorts {
  const { api, processes } = ports;
  const list: KubernetesApi['list'] = async (ref, options) => {
    if (ref.kind === 'Lease') sent.push('leases');
    return api.list(ref, options);
  };
  const mergePatch: KubernetesApi['mergePatch'] = async (...given) => {
    const patched = await api.mergePatch(...given);
    sent.push('renewed');
    return patched as never;
  };
  const metrics: ClusterPorts['processes']['metrics'] = (...given) => {
    sent.push('page');
    return processes.metrics(...given);
  };
  return { ...ports, api: { ...api, list, mergePatch }, processes: { ...processes, metrics } };
}

/** A watch that ends at once. */
async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

// eslint-disable-next-line require-yield -- refused before anything comes
async function* refused(): AsyncGenerator<never> {
  throw failure('Forbidden', 'no watch');
}
