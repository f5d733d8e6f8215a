import { describe, expect, it } from '@jest/globals';
import type { OrderedCloudFault } from '../../../../testbed/simulator/cloud/cloud-faults.js';
import { ccm, Environment, external, kcm, node } from '../environment.js';
import { joinNode, ownerPage, seriesIn, stepsIn } from './metrics-page.js';

const SYNCS = 'service_controller_loadbalancer_sync_total';
const NODE_SYNC = 'service_controller_nodesync_latency_seconds';
const HOSTS = 'service_controller_update_loadbalancer_host_latency_seconds';
const LONGEST = 'workqueue_longest_running_processor_seconds';
const UNFINISHED = 'workqueue_unfinished_work_seconds';

const HANGS: OrderedCloudFault = { controller: 'service', cloud: 'hang' };

function settled(services: number): Environment {
  const environment = new Environment({ plans: [node(kcm())], loadBalancers: 0 }).wait(20);
  for (let index = 1; index <= services; index += 1) environment.addService(`web-${String(index)}`);
  return environment.wait(60);
}

const read = (environment: Environment, ...series: readonly string[]): readonly unknown[] =>
  series.map((each) => seriesIn(ownerPage(environment), each));

describe('a cloud that hangs', () => {
  it('a node sync that hangs is in no histogram, and only its age and the depth of its queue grow', () => {
    const environment = settled(2);
    const [before] = read(environment, `${NODE_SYNC}_count`);
    environment.cluster.cloudFaults.add(HANGS);
    joinNode(environment, 'worker-a');
    environment.wait(5);
    joinNode(environment, 'worker-b');
    environment.wait(595);
    expect(read(environment, SYNCS, `${HOSTS}_count`, `${NODE_SYNC}_count`)).toEqual([
      1,
      0,
      before,
    ]);
    const [longest, unfinished, depth, other] = read(
      environment,
      `${LONGEST}{name="node"}`,
      `${UNFINISHED}{name="node"}`,
      'workqueue_depth{name="node"}',
      `${LONGEST}{name="service"}`,
    );
    expect(longest).toBeGreaterThan(590);
    expect([unfinished, depth, other]).toEqual([longest, 1, 0]);
    environment.cluster.cloudFaults.heal();
    environment.wait(10);
    expect(read(environment, `${HOSTS}_count`, `${LONGEST}{name="node"}`)).toEqual([3, 0]);
    expect(stepsIn(ownerPage(environment), HOSTS)).toEqual({ 1: 2, 1024: 3 });
  });

  it('hanging calls have no effect and no end until they are healed, and then have both', () => {
    const environment = settled(0);
    environment.cluster.cloudFaults.add(HANGS);
    environment.addService('web-1');
    environment.wait(300);
    expect([environment.ingress('web-1'), environment.cluster.hangingCloudCalls()]).toEqual([
      '',
      1,
    ]);
    expect(environment.cluster.cloudJournal().at(-1)).toMatchObject({ op: 'ListRoutes' });
    const journal = environment.cluster.cloudJournal();
    expect(journal.find(({ op }) => op === 'EnsureLoadBalancer')?.durationMs).toBeNull();
    environment.cluster.cloudFaults.heal();
    environment.wait(1);
    expect(environment.ingress('web-1')).not.toBe('');
    const ended = environment.cluster.cloudJournal().find(({ op }) => op === 'EnsureLoadBalancer');
    expect(ended?.durationMs).toBeGreaterThan(299_000);
    expect(environment.cluster.hangingCloudCalls()).toBe(0);
  });

  it('a hanging call ends with the error of the fault that replaces its own', () => {
    const environment = settled(0);
    environment.cluster.cloudFaults.add(HANGS);
    environment.addService('web-1');
    environment.wait(30);
    environment.cluster.cloudFaults.add({ ...HANGS, cloud: 'fail', ratio: 1, error: 'denied' });
    environment.wait(1);
    const ended = environment.cluster.cloudJournal().find(({ op }) => op === 'EnsureLoadBalancer');
    expect(ended?.error).toBe('denied');
    expect(environment.ingress('web-1')).toBe('');
  });

  it('a call that hung in a process that has ended has no effect when the cloud is healed', () => {
    const environment = settled(0);
    environment.cluster.cloudFaults.add(HANGS);
    environment.addService('web-1');
    environment.wait(5);
    environment.cluster.crashNode('cp-1');
    expect(environment.cluster.hangingCloudCalls()).toBe(0);
    environment.cluster.cloudFaults.heal();
    environment.wait(5);
    expect(environment.ingress('web-1')).toBe('');
  });

  it('routes and nodes hang on their own, and the service controller goes on', () => {
    const environment = settled(0);
    environment.cluster.cloudFaults.replace([
      { controller: 'route', cloud: 'hang' },
      { controller: 'node', cloud: 'hang' },
    ]);
    const since = environment.wait(15).clock.nowMs();
    joinNode(environment, 'worker-a');
    environment.addService('web-1');
    environment.wait(60);
    expect(environment.calls('ListRoutes', since)).toEqual([]);
    expect(environment.ingress('web-1')).not.toBe('');
    environment.cluster.cloudFaults.heal({ controller: 'route' });
    environment.wait(15);
    expect(environment.calls('ListRoutes', since)).not.toEqual([]);
    expect(environment.cluster.cloudFaults.list).toEqual([{ controller: 'node', cloud: 'hang' }]);
  });
});

describe('a cloud that is slow', () => {
  it('slow calls fall into the buckets of what they take', () => {
    const environment = settled(2);
    environment.cluster.cloudFaults.add({ controller: 'service', cloud: 'slow', ms: 20_000 });
    joinNode(environment, 'worker-a');
    environment.wait(60);
    expect(stepsIn(ownerPage(environment), HOSTS)).toEqual({ 32: 2 });
    const [sum] = read(environment, `${HOSTS}_sum`);
    expect(sum).toBeGreaterThan(40);
    expect(sum).toBeLessThan(41);
  });

  it('delays of Nodes are measured from their creation, by the CCM alone', () => {
    const plans = [node(external(), ccm({ migration: 'off' }))];
    const environment = new Environment({ plans }).wait(60);
    environment.cluster.cloudFaults.add({ controller: 'node', cloud: 'slow', ms: 100_000 });
    joinNode(environment, 'worker-a', 'node.cloudprovider.kubernetes.io/uninitialized');
    environment.cluster.cloudFaults.heal({ controller: 'service' });
    const name = 'node_controller_cloud_provider_taint_removal_delay_seconds';
    const before = seriesIn(environment.metrics('cp-1', 'ccm'), `${name}_count`) ?? 0;
    environment.wait(50);
    expect(seriesIn(environment.metrics('cp-1', 'ccm'), `${name}_count`)).toBe(before);
    expect(environment.calls('InstanceMetadata')).not.toEqual([]);
  });
});
