import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { SoakReport } from '../../../activities/contract.js';
import type { ActivityClock } from '../../../activities/dependencies.js';
import { quietScope } from '../../../activities/dependencies.js';
import { createActivities } from '../../../activities/index.js';
import { ETCD_MANIFEST } from '../../../testbed/base/kubeadm-defaults.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const HOUR_MS = 3_600_000;
const SAMPLES_MS = 30_000;
const REQUEST_MS = 10_000;

describe('a soak on a machine whose clock is set between two samples', () => {
  let environment: Environment;
  let slept = 0;
  let listedBefore = 0;
  const inventories = async (): Promise<number> =>
    (await environment.journal()).filter(
      ({ verb, resource }) => `${verb} ${resource}` === 'list persistentvolumes',
    ).length;
  afterEach(() => environment.close());

  /** A soak of two hours that is cut off in this sleep, on a clock that is set by so much in its second. */
  async function soaked(cutOffIn: number, setByMs: number, isSick = false): Promise<SoakReport> {
    environment = await openEnvironment({
      spec: { nodes: 3, etcd: 'stacked' },
      timings: { requestMs: REQUEST_MS, settleMs: 2 * SAMPLES_MS },
    });
    if (isSick) environment.cluster.node('cp-2')?.files.remove(ETCD_MANIFEST);
    await environment.fence();
    const { firstSeen } = await environment.snapshot();
    listedBefore = await inventories();
    const cut = new AbortController();
    const clock = setClock(environment.clock, setByMs, (sleeps) => {
      slept = sleeps;
      if (sleeps === cutOffIn) cut.abort(new Error('cancelled'));
    });
    const scope = (): ReturnType<typeof quietScope> => quietScope(cut.signal);
    const { soak } = createActivities({ ...environment.dependencies, clock, scope });
    const judged = { epoch: 1, decide: NO_JUDGEMENTS, firstSeen };
    const times = { soakMs: 2 * HOUR_MS, progress: null };
    return environment.takePart(() => soak({ ...environment.context, ...judged, ...times }));
  }

  it('two hours forward are no soak of two hours', async () => {
    const { complete, progress } = await soaked(4, 2 * HOUR_MS);
    expect(complete).toBe(false);
    expect(progress.soakedMs).toBeLessThanOrEqual(3 * (SAMPLES_MS + REQUEST_MS));
    expect(progress.soakedMs).toBeGreaterThanOrEqual(3 * SAMPLES_MS);
  });

  it('two hours back take nothing of what was soaked', async () => {
    const { complete, progress } = await soaked(4, -2 * HOUR_MS);
    expect(complete).toBe(false);
    // Each of its four samples lists the inventory, as on a clock that is not set.
    expect((await inventories()) - listedBefore).toBe(4);
    expect(progress.soakedMs).toBeGreaterThanOrEqual(2 * SAMPLES_MS);
    expect(progress.soakedMs).toBeLessThanOrEqual(3 * SAMPLES_MS);
  });

  it.each([
    ['forward', 2 * HOUR_MS],
    ['back', -2 * HOUR_MS],
  ])(
    'its patience with what cannot be measured is as long: two hours %s',
    async (_way, setByMs) => {
      const { verdicts } = await soaked(40, setByMs, true);
      expect(verdicts).toContainEqual(
        expect.objectContaining({ gate: 'quorum', verdict: 'error' }),
      );
      expect(slept).toBeGreaterThan(2);
      expect(slept).toBeLessThan(10);
    },
  );
});

/** Counts sleeps, and is set by so much during the second. */
function setClock(
  clock: ActivityClock,
  setByMs: number,
  onSleep: (sleeps: number) => void,
): ActivityClock {
  let sleeps = 0;
  return {
    nowMs: () => clock.nowMs() + (sleeps >= 2 ? setByMs : 0),
    sleep: (ms, signal) => {
      sleeps += 1;
      onSleep(sleeps);
      return clock.sleep(ms, signal);
    },
  };
}
