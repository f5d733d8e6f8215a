import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Look } from '../../../activities/contract.js';
import type { ClusterObservation } from '../../../domain/observation.js';
import { openStage, type Stage } from '../stage.js';

jest.setTimeout(120_000);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('a hold that waits until the cluster changes', () => {
  let stage: Stage;
  let since: Look;
  beforeEach(async () => {
    stage = await openStage({ spec: { nodes: 2 } });
    await stage.fence();
    since = await stage.look();
  });
  afterEach(() => stage.close());

  function wait({ atLeastMs = 0, atMostMs = DAY }): Promise<Look & { readonly waitedMs: number }> {
    const began = stage.clock.nowMs();
    return stage.takePart(async () => {
      const look = await stage.activities.awaitChange({
        ...stage.context,
        sightings: since.sightings,
        since: since.observation,
        ...{ atLeastMs, atMostMs },
      });
      return { ...look, waitedMs: stage.clock.nowMs() - began };
    });
  }

  const pids = ({ nodes }: ClusterObservation): unknown =>
    nodes.map(({ kcm }) => kcm.processes.map(({ pid }) => pid));

  it('ends with what changed', async () => {
    const waiting = wait({});
    await stage.clock.sleep(5000);
    stage.cluster.crashProcess('cp-1', 'kcm');
    const { observation, waitedMs } = await waiting;
    expect(pids(observation)).not.toEqual(pids(since.observation));
    expect(waitedMs).toBeLessThan(MINUTE);
  });

  it('sees within minutes also what changes seldom, however long the wait may be', async () => {
    const waiting = wait({});
    await stage.clock.sleep(5000);
    const kubeadm = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system' };
    await stage.ports.api.remove({ ...kubeadm, name: 'kubeadm-config' });
    const { observation, waitedMs } = await waiting;
    expect(observation.kubeadm.configMap).not.toBe(since.observation.kubeadm.configMap);
    expect(waitedMs).toBeLessThan(5 * MINUTE);
  });

  it('tells a change no sooner than it shall: the history of a restless cluster stays short', async () => {
    const waiting = wait({ atLeastMs: 3 * MINUTE });
    await stage.clock.sleep(5000);
    stage.cluster.crashProcess('cp-1', 'kcm');
    const { waitedMs } = await waiting;
    expect(waitedMs).toBeGreaterThanOrEqual(3 * MINUTE);
    expect(waitedMs).toBeLessThan(4 * MINUTE);
  });
});
