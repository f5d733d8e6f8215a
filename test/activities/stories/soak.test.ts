import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Snapshot, SoakReport } from '../../../activities/contract.js';
import { quietScope } from '../../../activities/dependencies.js';
import { createActivities } from '../../../activities/index.js';
import type { LeaseObject } from '../../../activities/lease-reading.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';
import type { SoakProgress } from '../../../domain/run/results.js';

jest.setTimeout(120_000);

const WEB_1 = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web-1' };

describe('a soak', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({ spec: { nodes: 2 } });
    await environment.fence();
  });
  afterEach(() => environment.close());

  let firstSeen: Snapshot['firstSeen'];
  beforeEach(async () => {
    ({ firstSeen } = await environment.snapshot());
  });

  const soak = (
    soakMs: number,
    progress: SoakProgress | null = null,
    signal?: AbortSignal,
  ): Promise<SoakReport> => {
    const { soak: soaking } =
      signal === undefined
        ? environment.activities
        : createActivities({ ...environment.dependencies, scope: () => quietScope(signal) });
    const judged = { epoch: 1, decide: NO_JUDGEMENTS, firstSeen };
    return environment.takePart(() =>
      soaking({ ...environment.context, ...judged, soakMs, progress }),
    );
  };

  /** One minute of soak with an event in its middle. Returns the gates that did not pass in the end. */
  const failedIn = async (happens: () => Promise<void> | void): Promise<SoakReport['verdicts']> => {
    const soaking = soak(60_000);
    await environment.clock.sleep(10_000);
    await happens();
    const { verdicts } = await soaking;
    return verdicts.filter(({ verdict }) => verdict !== 'pass');
  };

  it('a soak ends as soon as a gate fails, and lets the fence rest until then', async () => {
    const began = environment.clock.nowMs();
    const soaking = soak(24 * 3_600_000);
    await environment.clock.sleep(10_000);
    const fence = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    const lease = await environment.ports.api.get<LeaseObject>({
      ...{ ...fence, namespace: 'kube-system', name: 'ccm-migrate' },
    });
    expect(lease?.object.metadata?.annotations?.['ccm-migrate.dev/mode']).toBe('idle');
    environment.cluster.pauseProcess('cp-2', 'kcm');
    const { verdicts, complete } = await soaking;
    expect(complete).toBe(false);
    const failed = verdicts.filter(({ verdict }) => verdict !== 'pass');
    expect(failed.map(({ gate }) => gate)).toEqual(['noPausedManager']);
    expect(environment.clock.nowMs() - began).toBeLessThan(60_000);
  });

  it.each([
    [12_000, { samples: [4, 5], lists: 2 }],
    [60_000, { samples: [7, 8], lists: 3 }],
    [600_000, { samples: [21, 22], lists: 21 }],
  ] as const)(
    'a soak of %i ms takes several samples and lists the inventory twice a minute, at its begin and at its end',
    async (soakMs, { samples: [least, most], lists }) => {
      const before = (await environment.journal()).length;
      expect((await soak(soakMs)).complete).toBe(true);
      const made = (await environment.journal())
        .slice(before)
        .map(({ verb, resource }) => `${verb} ${resource}`);
      const samples = made.filter((each) => each === 'list pods').length;
      expect(samples).toBeGreaterThanOrEqual(least);
      expect(samples).toBeLessThanOrEqual(most);
      expect(made.filter((each) => each === 'list persistentvolumes').length).toBe(lists);
      const relevant = made.filter((each) => /^list (persistentvolumes|pods)$/.test(each));
      expect(relevant.lastIndexOf('list persistentvolumes')).toBeGreaterThanOrEqual(
        relevant.length - 2,
      );
    },
  );

  it('a soak is not complete before the inventory of its end: a Service that lost its address after the last list fails it', async () => {
    const soaking = soak(20_000);
    await environment.clock.sleep(4_000);
    environment.cluster.deleteCloudLoadBalancer('default/web-1');
    const ports = [{ port: 81, protocol: 'TCP' }];
    await environment.ports.api.mergePatch(WEB_1, { spec: { ports } });
    const { verdicts, complete } = await soaking;
    expect(complete).toBe(false);
    const failed = verdicts.filter(({ verdict }) => verdict !== 'pass');
    expect(failed.map(({ gate }) => gate)).toEqual(['addressesKept']);
  });

  it('a soak continues where an earlier one was cut off', async () => {
    const cut = new AbortController();
    const first = soak(120_000, null, cut.signal);
    await environment.clock.sleep(60_000);
    cut.abort(new Error('cancelled'));
    const { complete, progress } = await first;
    expect(complete).toBe(false);
    expect(progress.soakedMs).toBeGreaterThan(30_000);
    const began = environment.clock.nowMs();
    expect((await soak(120_000, progress)).complete).toBe(true);
    expect(environment.clock.nowMs() - began).toBeLessThan(110_000);
  });

  it('a soak continues when a user deletes a Service', async () => {
    const failed = await failedIn(async () => {
      await environment.ports.api.remove(WEB_1);
    });
    expect(failed).toEqual([]);
    expect(await environment.ports.api.get(WEB_1)).toBeNull();
  });

  it('a soak names the Service that has another address, though a new one hides it from all counts', async () => {
    const failed = await failedIn(async () => {
      await environment.ports.api.create({
        ...{ apiVersion: 'v1', kind: 'Service' },
        metadata: { namespace: 'default', name: 'new' },
        spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }] },
      });
      environment.cluster.deleteCloudLoadBalancer('default/web-1');
      const ports = [{ port: 81, protocol: 'TCP' }];
      await environment.ports.api.mergePatch(WEB_1, { spec: { ports } });
    });
    expect(failed).toMatchObject([
      { gate: 'addressesKept', detail: /^Service default\/web-1 had [\d.]+ and has [\d.]+$/ },
    ]);
  });
});
