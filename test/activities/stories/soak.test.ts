import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { SoakReport } from '../../../activities/contract.js';
import type { LeaseObject } from '../../../activities/observe/lease-reading.js';
import { openStage, type Stage } from '../stage.js';

jest.setTimeout(120_000);

const WEB_1 = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web-1' };

describe('a soak', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage({ spec: { nodes: 2 } });
    await stage.fence();
  });
  afterEach(() => stage.close());

  /** A minute of it, with something happening in its middle. The gates that failed at any time. */
  const failedIn = async (happens: () => Promise<void> | void): Promise<SoakReport['verdicts']> => {
    const { sightings } = await stage.look();
    const soaking = stage.takePart(() =>
      stage.activities.soak({ ...stage.context, epoch: 1, sightings, soakMs: 60_000 }),
    );
    await stage.clock.sleep(10_000);
    await happens();
    const { verdicts } = await soaking;
    return verdicts.filter(({ verdict }) => verdict !== 'pass');
  };

  it('keeps the worst verdict of each gate and lets the fence rest', async () => {
    const failed = await failedIn(async () => {
      stage.cluster.pauseProcess('cp-2', 'kcm');
      await stage.clock.sleep(20_000);
      stage.cluster.resumeProcess('cp-2', 'kcm');
    });
    expect(failed.map(({ gate }) => gate)).toEqual(['noPausedManager']);
    const fence = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    const lease = await stage.ports.api.get<LeaseObject>({
      ...{ ...fence, namespace: 'kube-system', name: 'ccm-migrate' },
    });
    expect(lease?.object.metadata?.annotations?.['ccm-migrate.dev/mode']).toBe('idle');
  });

  it('goes on when a user deletes a Service', async () => {
    const failed = await failedIn(async () => {
      await stage.ports.api.remove(WEB_1);
    });
    expect(failed).toEqual([]);
    expect(await stage.ports.api.get(WEB_1)).toBeNull();
  });

  it('names the Service that has another address, though a new one hides it from all counts', async () => {
    const failed = await failedIn(async () => {
      await stage.ports.api.create({
        ...{ apiVersion: 'v1', kind: 'Service' },
        metadata: { namespace: 'default', name: 'new' },
        spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }] },
      });
      stage.cluster.deleteCloudLoadBalancer('default/web-1');
      const ports = [{ port: 81, protocol: 'TCP' }];
      await stage.ports.api.mergePatch(WEB_1, { spec: { ports } });
    });
    expect(failed).toMatchObject([
      { gate: 'addressesKept', detail: /^Service default\/web-1 had [\d.]+ and has [\d.]+$/ },
    ]);
  });
});
