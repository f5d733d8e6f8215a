import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { StepReport } from '../../../activities/contract.js';
import { failure, failureTypeOf } from '../../../activities/failures.js';
import type { CloudLists } from '../../../activities/ports.js';
import type { Inventory } from '../../../domain/observation/observation.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const WEB_1 = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web-1' };

describe("verify, by the cloud's own list of load balancers", () => {
  let environment: Environment;
  let since: Inventory;
  let cloud: (given: CloudLists | undefined) => CloudLists | undefined;
  beforeEach(async () => {
    cloud = (given) => given;
    environment = await openEnvironment({
      spec: { nodes: 1, workers: 2 },
      // Asked for each time, as another worker with another inventory would.
      wrap: (ports) =>
        Object.defineProperty({ ...ports }, 'cloud', {
          ...{ enumerable: true, get: () => cloud(ports.cloud) },
        }),
    });
    await environment.fence();
    since = (await environment.snapshot()).observation.inventory;
  });
  afterEach(() => environment.close());

  const verify = (): Promise<StepReport> => environment.take({ kind: 'verify', since });
  const failed = async (): Promise<readonly string[]> =>
    (await verify()).verdicts.flatMap(({ code, verdict, detail }) =>
      verdict === 'pass' ? [] : [`${code} ${detail}`],
    );

  it('names the backends of a balancer that was emptied while its Service kept the address', async () => {
    expect(environment.cluster.emptyCloudLoadBalancer('default/web-1')).toBe(true);
    const [difference, ...others] = await failed();
    expect(others).toEqual([]);
    expect(difference).toMatch(/^CCM3015 LoadBalancer \S+: every backend is gone$/);
  });

  it('names a balancer that is gone while its Service kept the address', async () => {
    expect(environment.cluster.deleteCloudLoadBalancer('default/web-1')).toBe(true);
    expect(await failed()).toEqual([
      expect.stringMatching(/^CCM3015 LoadBalancer \S+: address 198\.18\.\S+ is gone$/),
    ]);
  });

  it('needs no explanation where users deleted the Service, or a Node went and another came', async () => {
    const { api } = environment.ports;
    await api.remove(WEB_1);
    await api.remove({ apiVersion: 'v1', kind: 'Node', name: 'worker-2' });
    await environment.clock.sleep(200_000);
    expect(environment.cluster.cloudLoadBalancers()).toEqual([
      expect.objectContaining({ backends: ['cp-1', 'worker-1'] }),
    ]);
    expect((await failed()).filter((line) => line.startsWith('CCM3015'))).toEqual([]);
  });

  it('waits for a balancer that its controller fills again', async () => {
    environment.cluster.emptyCloudLoadBalancer('default/web-1');
    const ports = [{ port: 81, protocol: 'TCP' }];
    await environment.ports.api.mergePatch(WEB_1, { spec: { ports } });
    expect(await failed()).toEqual([]);
  });

  it('holds where the inventory no longer says how to ask the cloud', async () => {
    cloud = () => undefined;
    expect(await failed()).toEqual(['CCM3015 LoadBalancer of the cloud: list is gone']);
  });

  it('compares the rest where the cloud was not asked at the start', async () => {
    cloud = () => undefined;
    since = (await environment.snapshot()).observation.inventory;
    cloud = (given) => given;
    environment.cluster.emptyCloudLoadBalancer('default/web-1');
    expect(await failed()).toEqual([]);
  });

  it.each(['the start', 'the end'])('a cloud that does not answer fails %s', async (when) => {
    cloud = () => ({ loadBalancers: () => Promise.reject(failure('Unavailable', 'no answer')) });
    const answer = when === 'the start' ? environment.snapshot() : verify();
    expect(await answer.then(String, failureTypeOf)).toBe('Unavailable');
  });
});
