import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createActivities } from '../../../activities/index.js';
import type { StepReport } from '../../../activities/contract.js';
import { runByHand, type RunByHand } from '../run-by-hand.js';
import { openStage, type Stage } from '../stage.js';

jest.setTimeout(120_000);

const WEB_1 = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web-1' };

describe('verify', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage({ spec: { nodes: 1 } });
    await stage.fence();
  });
  afterEach(() => stage.close());

  const closed = ({ verdicts }: StepReport): readonly string[] =>
    verdicts.flatMap(({ code, verdict }) => (verdict === 'pass' ? [] : [code]));

  const anotherWorker = async (): Promise<RunByHand> => {
    const { context, ccmManifest, dependencies } = stage;
    const other = runByHand({ activities: createActivities(dependencies), context, ccmManifest });
    await other.fence('another worker');
    return other;
  };

  it('verify finds no loss when a user deleted a Service', async () => {
    const { observation } = await stage.look();
    await stage.ports.api.remove(WEB_1);
    await stage.clock.sleep(5000);
    const report = await stage.take({ kind: 'verify', since: observation.inventory });
    expect(closed(report)).toEqual([]);
    expect(report.observation.inventory.services.loadBalancers).toBe(1);
  });

  it('verify asks the operator where the worker that observed the start is gone', async () => {
    const { observation } = await stage.look();
    await stage.ports.api.remove(WEB_1);
    await stage.clock.sleep(5000);
    const other = await anotherWorker();
    const report = await other.take({ kind: 'verify', since: observation.inventory });
    expect(closed(report)).toEqual(['CCM3009']);
  });

  it('verify does not use the list of a later observation in place of the first one', async () => {
    const { observation } = await stage.look();
    stage.cluster.deleteCloudLoadBalancer('default/web-1');
    const ports = [{ port: 81, protocol: 'TCP' }];
    await stage.ports.api.mergePatch(WEB_1, { spec: { ports } });
    await stage.clock.sleep(5000);
    const other = await anotherWorker();
    await other.look();
    const report = await other.take({ kind: 'verify', since: observation.inventory });
    expect(closed(report)).toEqual(['CCM3009']);
  });
});
