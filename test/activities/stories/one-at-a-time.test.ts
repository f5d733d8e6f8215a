import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { KubernetesApi } from '../../../activities/ports.js';
import type { WaitGoal } from '../../../domain/run/run-state.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';
import { endGuards, guardBeside } from '../guard-beside.js';

jest.setTimeout(120_000);

const MINUTE = 60_000;

type Wrap = (api: KubernetesApi) => Partial<KubernetesApi>;

/** Counts the lists that are under way at once. */
function openCount(): {
  readonly counted: (api: KubernetesApi) => Pick<KubernetesApi, 'list'>;
  /** The most since it was asked last. */
  readonly most: () => number;
} {
  let [now, most] = [0, 0];
  return {
    counted: ({ list }) => ({
      list: async (...given) => {
        now += 1;
        most = Math.max(most, now);
        try {
          return (await list(...given)) as never;
        } finally {
          now -= 1;
        }
      },
    }),
    most: () => {
      const seen = most;
      most = 0;
      return seen;
    },
  };
}

describe('observations that nothing waits for', () => {
  const { counted, most } = openCount();
  let environment: Environment;
  afterEach(async () => {
    await endGuards();
    await environment.close();
  });

  const opened = async (wrap: Wrap = counted): Promise<void> => {
    environment = await openEnvironment({
      ...{ spec: { nodes: 2 }, timings: { fenceRenewMs: 5_000, guardMs: 1_000 } },
      wrap: (ports) => ({ ...ports, api: { ...ports.api, ...wrap(ports.api) } }),
    });
    await environment.fence();
  };
  const rest = async (): Promise<void> => {
    await environment.activities.restFence({ ...environment.context, epoch: 1 });
    // The guard notices it in one of its busy rounds.
    await environment.clock.sleep(MINUTE);
  };

  it('a guard that rests asks for one thing at a time, and for all at once in the round for which a step waits', async () => {
    let woken = false;
    await opened(({ mergePatch }) => ({
      mergePatch: async (...given) => {
        const patched = await mergePatch(...given);
        woken ||= JSON.stringify(given).includes('"ccm-migrate.dev/guardedEpoch":null');
        return patched as never;
      },
    }));
    const renewals: { readonly woken: boolean; readonly abreast: number }[] = [];
    const guard = guardBeside(environment, {
      api: (api) => ({
        ...counted(api),
        mergePatch: async (...given) => {
          const renewed = await api.mergePatch(...given);
          renewals.push({ woken, abreast: most() });
          return renewed as never;
        },
      }),
    });
    await environment.clock.sleep(5_000);
    expect(most()).toBeGreaterThan(1);
    await rest();
    most();
    // In the middle of a rest.
    await environment.clock.sleep(2 * MINUTE + 3_000);
    expect(renewals.at(-1)).toEqual({ woken: false, abreast: 1 });
    await environment.takePart(() => environment.take({ kind: 'recordBaseline' }));
    expect(renewals.find((each) => each.woken)?.abreast).toBeGreaterThan(1);
    await guard.end();
  });

  it('a guard whose round failed asks for all at once, though its run rests', async () => {
    await opened((api) => api);
    let failing = false;
    const guard = guardBeside(environment, {
      api: (api) => {
        const { list } = counted(api);
        return {
          list: async (...given) => {
            if (failing) throw new Error('cut off');
            return (await list(...given)) as never;
          },
        };
      },
    });
    await rest();
    failing = true;
    await environment.clock.sleep(15_000);
    most();
    failing = false;
    await environment.clock.sleep(15_000);
    expect(most()).toBeGreaterThan(1);
    await guard.end();
  });

  it('a soak asks for one thing at a time', async () => {
    await opened();
    const { firstSeen } = await environment.snapshot();
    const judged = { epoch: 1, decide: NO_JUDGEMENTS, firstSeen };
    most();
    await environment.takePart(() =>
      environment.activities.soak({
        ...{ ...environment.context, ...judged, soakMs: MINUTE, progress: null },
      }),
    );
    expect(most()).toBe(1);
  });

  it.each<[string, WaitGoal, number]>([
    ['waits for a cure', { kind: 'healed', codes: [], heals: 0 }, 1],
    ['waits for its guard, as a step does, asks for several', { kind: 'guarded' }, 2],
  ])('a hold that %s', async (_name, goal, least) => {
    await opened();
    const { firstSeen } = await environment.snapshot();
    most();
    await environment.takePart(() =>
      environment.activities.awaitChange({
        ...{ ...environment.context, epoch: 1, decide: NO_JUDGEMENTS, firstSeen },
        ...{ goal, atLeastMs: 0, atMostMs: MINUTE },
      }),
    );
    const seen = most();
    expect(Math.min(seen, 2)).toBe(least);
  });
});
