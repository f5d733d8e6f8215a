import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { GuardMemory } from '../../../activities/contract.js';
import type { LeaseObject } from '../../../activities/lease-reading.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

/** How often it observes the cluster. */
const GUARD_S = 2;

const FENCE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: 'kube-system',
  name: 'ccm-migrate',
};

describe('the guard', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({ spec: { nodes: 2 } });
  });
  afterEach(() => environment.close());

  const annotation = async (name: string): Promise<string> =>
    (await environment.ports.api.get(FENCE))?.object.metadata?.annotations?.[
      `ccm-migrate.dev/${name}`
    ] ?? '';
  const holderOf = async (name: string): Promise<string> => {
    const lease = await environment.ports.api.get<LeaseObject>({ ...FENCE, name });
    return (lease?.object.spec?.holderIdentity ?? '').split('_')[0] ?? '';
  };
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    for (let attempts = 0; !(await holds()); attempts += 1) {
      if (attempts > 200) throw new Error('never');
      await environment.clock.sleep(1000);
    }
  };

  it('reports a holder that was stopped, woke, and ran on beside its successor (P13)', async () => {
    await environment.fence();
    await environment.takePart(() => environment.migrate('ccm'));
    const truth = (): number => environment.cluster.truth().controllers.service.overlapSeconds;
    expect(truth()).toBe(0);
    const end = new AbortController();
    const guarding = environment.takePart(() => environment.guard(end.signal));
    const holder = await holderOf('cloud-provider-extraction-migration');
    environment.cluster.pauseProcess(holder, 'ccm');
    await until(async () => {
      const now = await holderOf('cloud-provider-extraction-migration');
      return now !== '' && now !== holder;
    });
    environment.cluster.resumeProcess(holder, 'ccm');
    await until(async () => (await annotation('breach')).includes('CCM3001'));
    expect(await annotation('breach')).toContain(`ccm:${holder}#`);
    await environment.clock.sleep(15_000);
    end.abort(new Error('the run is over'));
    const { ownership, breaches } = await guarding;
    expect(breaches.map(({ code }) => code)).toContain('CCM3001');
    // It is reported from its second observation on.
    expect(truth()).toBeGreaterThan(5);
    expect(ownership.overlapSeconds).toBeGreaterThan(0);
    expect(ownership.overlapSeconds).toBeLessThanOrEqual(truth() + 2 * GUARD_S);
  });

  it("reports the simulator's ground truth of a whole forward run", async () => {
    await environment.fence();
    const end = new AbortController();
    const guarding = environment.takePart(() => environment.guard(end.signal));
    await environment.takePart(() => environment.migrate('ccm'));
    end.abort(new Error('the run is over'));
    const report = await guarding;
    const truth = environment.cluster.truth().controllers.service;
    expect(report).toMatchObject({ ended: 'cancelled', breaches: [] });
    expect(report.ownership).toMatchObject({
      ...{ overlapSeconds: 0, unknownSeconds: 0, moves: truth.moves },
    });
    // Each of the two gaps is known to within one interval of the guard.
    expect(Math.abs(report.ownership.orphanSeconds - truth.orphanSeconds)).toBeLessThan(4);
  });

  it('distinguishes what was unknowable while the holder’s node was cut off', async () => {
    await environment.fence();
    const end = new AbortController();
    const guarding = environment.takePart(() => environment.guard(end.signal));
    await environment.clock.sleep(5000);
    const holder = await holderOf('kube-controller-manager');
    environment.cluster.partitionNode(holder);
    await until(async () => {
      const now = await holderOf('kube-controller-manager');
      return now !== '' && now !== holder;
    });
    environment.cluster.healNode(holder);
    await environment.clock.sleep(5000);
    end.abort(new Error('the run is over'));
    const { orphanSeconds, unknownSeconds } = (await guarding).ownership;
    const truth = environment.cluster.truth().controllers.service;
    expect(truth.orphanSeconds).toBeGreaterThan(0);
    expect(orphanSeconds + unknownSeconds).toBeGreaterThanOrEqual(truth.orphanSeconds);
    expect(unknownSeconds).toBeGreaterThan(5);
  });

  it('records a breach in the fence while it lasts, and ends when another run holds the fence', async () => {
    await environment.fence();
    const guarding = environment.takePart(() => environment.guard(new AbortController().signal));
    environment.cluster.pauseProcess('cp-2', 'kcm');
    await until(async () => /^CCM3008 /.test(await annotation('breach')));
    environment.cluster.resumeProcess('cp-2', 'kcm');
    await until(async () => (await annotation('breach')) === '');
    await environment.activities.takeFence({
      ...environment.context,
      runId: 'run-2',
      nonce: 'n',
      acknowledge: false,
      takeOver: { reason: 'test' },
    });
    const report = await guarding;
    expect(report.ended).toBe('fenceLost');
    expect(report.breaches.map(({ gate }) => gate)).toEqual(['noPausedManager']);
  });

  it('reports since when it cannot observe the cluster, how often it tried and why, and forgets it afterwards', async () => {
    await environment.fence();
    const end = new AbortController();
    const beats: GuardMemory[] = [];
    let down = false;
    const { connect } = environment.guardDependencies;
    const cut: typeof connect = async (...given) => {
      const ports = await connect(...given);
      const api = new Proxy(ports.api, {
        get: (target, name, self) => {
          if (down) throw new Error('ECONNREFUSED\u001b[2J, sent Bearer abcdefghijklmnop');
          return Reflect.get(target, name, self) as unknown;
        },
      });
      return { ...ports, api };
    };
    const { createGuardActivities } = await import('../../../activities/index.js');
    const guarding = environment.takePart(() =>
      createGuardActivities({
        ...{ ...environment.guardDependencies, connect: cut },
        scope: () => ({
          ...{ signal: end.signal, lastHeartbeat: undefined },
          heartbeat: (details) => void beats.push(details as GuardMemory),
        }),
      }).guardCluster({ ...environment.context, nonce: 'n', memory: null }),
    );
    await until(() => Promise.resolve((beats.at(-1)?.observations ?? 0) > 1));
    const fromMs = environment.clock.nowMs();
    down = true;
    await until(() => Promise.resolve((beats.at(-1)?.outage?.attempts ?? 0) > 3));
    const { outage } = beats.at(-1) ?? {};
    expect(outage?.sinceMs).toBeGreaterThanOrEqual(fromMs);
    expect(outage?.sinceMs).toBeLessThanOrEqual(fromMs + 2000 * GUARD_S);
    expect(outage?.error).toMatch(/ECONNREFUSED/);
    expect(outage?.error).not.toMatch(/abcdefghijklmnop|\p{Cc}/u);
    down = false;
    await until(() => Promise.resolve(beats.at(-1)?.outage === null));
    end.abort(new Error('the run is over'));
    await guarding;
  });

  it('continues with the memory of the previous attempt', async () => {
    await environment.fence();
    const end = new AbortController();
    const beats: unknown[] = [];
    const { createGuardActivities } = await import('../../../activities/index.js');
    const attempt = (lastHeartbeat: unknown, signal: AbortSignal) =>
      createGuardActivities({
        ...environment.dependencies,
        scope: () => ({
          signal,
          lastHeartbeat,
          heartbeat: (details) => void beats.push(JSON.parse(JSON.stringify(details))),
        }),
      }).guardCluster({ ...environment.context, nonce: 'n', memory: null });
    const first = environment.takePart(() => attempt(undefined, end.signal));
    await until(() => Promise.resolve(beats.length > 2));
    end.abort(new Error('cancelled'));
    const { observations } = await first;
    const over = new AbortController();
    over.abort(new Error('cancelled'));
    expect(await attempt(beats.at(-1), over.signal)).toMatchObject({ observations });
    const shutdown = new AbortController();
    shutdown.abort(new Error('WORKER_SHUTDOWN'));
    await expect(attempt(beats.at(-1), shutdown.signal)).rejects.toMatchObject({
      type: 'Unavailable',
    });
  });
});
