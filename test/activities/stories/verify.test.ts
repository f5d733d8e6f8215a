import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createActivities } from '../../../activities/index.js';
import type { StepReport } from '../../../activities/contract.js';
import { runByHand, type RunByHand } from '../run-by-hand.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const WEB_1 = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web-1' };

describe('verify', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({ spec: { nodes: 1 } });
    await environment.fence();
  });
  afterEach(() => environment.close());

  const closed = ({ verdicts }: StepReport): readonly string[] =>
    verdicts.flatMap(({ code, verdict }) => (verdict === 'pass' ? [] : [code]));

  const anotherWorker = async (): Promise<RunByHand> => {
    const { context, ccmManifest, dependencies } = environment;
    const other = runByHand({ activities: createActivities(dependencies), context, ccmManifest });
    await other.fence('another worker');
    return other;
  };

  it('verify finds no loss when a user deleted a Service', async () => {
    const { observation } = await environment.snapshot();
    await environment.ports.api.remove(WEB_1);
    await environment.clock.sleep(5000);
    const report = await environment.take({ kind: 'verify', since: observation.inventory });
    expect(closed(report)).toEqual([]);
    expect(report.observation.inventory.services.loadBalancers).toBe(1);
  });

  it('verify asks the operator where the worker that observed the start is gone', async () => {
    const { observation } = await environment.snapshot();
    await environment.ports.api.remove(WEB_1);
    await environment.clock.sleep(5000);
    const other = await anotherWorker();
    const report = await other.take({ kind: 'verify', since: observation.inventory });
    expect(closed(report)).toEqual(['CCM3009']);
  });

  it('verify does not use the list of a later observation in place of the first one', async () => {
    const { observation } = await environment.snapshot();
    environment.cluster.deleteCloudLoadBalancer('default/web-1');
    const ports = [{ port: 81, protocol: 'TCP' }];
    await environment.ports.api.mergePatch(WEB_1, { spec: { ports } });
    await environment.clock.sleep(5000);
    const other = await anotherWorker();
    await other.snapshot();
    const report = await other.take({ kind: 'verify', since: observation.inventory });
    expect(closed(report)).toEqual(['CCM3009']);
  });
});
