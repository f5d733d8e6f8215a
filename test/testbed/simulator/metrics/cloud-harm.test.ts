import { describe, expect, it } from '@jest/globals';
import type { OrderedCloudFault } from '../../../../testbed/simulator/cloud/cloud-faults.js';
import { ccm, Environment, external, kcm, node } from '../environment.js';
import { eventsOf, joinNode, ownerPage, seriesIn, stepsIn } from './metrics-page.js';

const SYNCS = 'service_controller_loadbalancer_sync_total';
const ERRORS = 'service_controller_nodesync_error_total';
const NODE_SYNC = 'service_controller_nodesync_latency_seconds';
const HOSTS = 'service_controller_update_loadbalancer_host_latency_seconds';
const QUOTA = 'quota exceeded';

const FAILS: OrderedCloudFault = { controller: 'service', cloud: 'fail', ratio: 1, error: QUOTA };

/** One node whose KCM has run the service controller for a while, with this many Services. */
function settled(services = 2, version = '1.30.14'): Environment {
  const plans = [node(kcm({ version }))];
  const environment = new Environment({ plans, loadBalancers: 0, workers: 1 }).wait(20);
  for (let index = 1; index <= services; index += 1) environment.addService(`web-${String(index)}`);
  return environment.wait(60);
}

const read = (environment: Environment, ...series: readonly string[]): readonly unknown[] =>
  series.map((each) => seriesIn(ownerPage(environment), each));

describe('what the service controller counts', () => {
  it('a Service that is created, changed or deleted is counted by no metric of the service controller', () => {
    const environment = settled();
    const [before] = read(environment, `${NODE_SYNC}_count`);
    expect(environment.ingress('web-1')).not.toBe('');
    expect(read(environment, SYNCS, ERRORS, `${HOSTS}_count`)).toEqual([0, 0, 0]);
    environment.cluster.store.delete({ resource: 'services', namespace: 'default', name: 'web-1' });
    environment.wait(20);
    expect(environment.service('web-1')).toBeUndefined();
    expect(read(environment, SYNCS, `${NODE_SYNC}_count`)).toEqual([0, before]);
  });

  it('a process that takes over counts no node sync: each load balancer was just given the same Nodes', () => {
    const environment = new Environment({ plans: [node(kcm())], loadBalancers: 3 }).wait(60);
    expect(environment.calls('EnsureLoadBalancer')).toHaveLength(3);
    expect(read(environment, SYNCS, `${NODE_SYNC}_count`)).toEqual([0, 1]);
  });

  it('a Node that joins is counted once for each load balancer, and its latency is observed', () => {
    const environment = settled();
    const [before] = read(environment, `${NODE_SYNC}_count`);
    joinNode(environment, 'worker-a');
    environment.wait(20);
    const counted = read(environment, SYNCS, ERRORS, `${HOSTS}_count`, `${NODE_SYNC}_count`);
    expect(counted).toEqual([2, 0, 2, Number(before) + 1]);
    expect(environment.calls('UpdateLoadBalancer')).toHaveLength(2);
    expect(stepsIn(ownerPage(environment), HOSTS)).toEqual({ 1: 2 });
  });

  it.each([
    ['1.26.15', undefined, 2],
    ['1.27.4', 0, 0],
    ['1.30.14', 0, 0],
  ])(
    'in %s a Node that is not Ready counts %p node syncs in %i calls',
    (version, counted, calls) => {
      const environment = settled(2, version);
      const since = environment.clock.nowMs();
      const before = seriesIn(ownerPage(environment), SYNCS);
      const answer = environment.cluster.store.get({ resource: 'nodes', name: 'worker-1' });
      if (!answer.ok) throw new Error(answer.message);
      const status = { conditions: [{ type: 'Ready', status: 'Unknown' }] };
      environment.cluster.store.update('nodes', { ...answer.object, status });
      environment.wait(20);
      const after = seriesIn(ownerPage(environment), SYNCS);
      expect(after === undefined ? undefined : after - (before ?? 0)).toBe(counted);
      expect(environment.calls('UpdateLoadBalancer', since)).toHaveLength(calls);
    },
  );

  it('up to 1.25 a signal every 100 s is a node sync, which calls nothing while the Nodes are the same', () => {
    const environment = settled(1, '1.25.6');
    const since = environment.clock.nowMs();
    const [before] = read(environment, `${NODE_SYNC}_count`);
    environment.wait(500);
    expect(read(environment, `${NODE_SYNC}_count`)).toEqual([Number(before) + 5]);
    expect(environment.calls('UpdateLoadBalancer', since)).toHaveLength(0);
    environment.cluster.cloudFaults.add(FAILS);
    joinNode(environment, 'worker-a');
    environment.wait(50);
    environment.cluster.cloudFaults.heal();
    const healed = environment.clock.nowMs();
    environment.wait(150);
    expect(environment.calls('UpdateLoadBalancer', healed)).toHaveLength(1);
  });
});

describe('a cloud that fails', () => {
  it('failed node syncs are counted as errors, their latency is observed, and the Services are tried again', () => {
    const environment = settled();
    environment.cluster.cloudFaults.add(FAILS);
    joinNode(environment, 'worker-a');
    environment.wait(3);
    expect(read(environment, SYNCS, ERRORS, `${HOSTS}_count`)).toEqual([2, 2, 2]);
    const [told] = eventsOf(environment, 'UpdateLoadBalancerFailed');
    expect(told).toMatchObject({ about: 'web-1', count: 1 });
    expect(told?.message).toBe(
      'Error updating load balancer with new hosts [cp-1 worker-1 worker-a] ' +
        `[node names limited, total number of nodes: 3], error: ${QUOTA}`,
    );
    environment.wait(60);
    expect(read(environment, SYNCS, ERRORS)).toEqual([2, 2]);
    expect(eventsOf(environment, 'SyncLoadBalancerFailed')).toHaveLength(2);
  });

  it('a Service that cannot be ensured is told by Events and retries alone', () => {
    const environment = settled(1);
    environment.cluster.cloudFaults.add(FAILS);
    environment.addService('web-2');
    environment.wait(40);
    expect(eventsOf(environment, 'SyncLoadBalancerFailed')).toEqual([
      {
        about: 'web-2',
        message: `Error syncing load balancer: failed to ensure load balancer: ${QUOTA}`,
        count: 4,
      },
    ]);
    expect(eventsOf(environment, 'EnsuredLoadBalancer').map(({ about }) => about)).toEqual([
      'web-1',
    ]);
    expect(read(environment, 'workqueue_retries_total{name="service"}', SYNCS, ERRORS)).toEqual([
      ...[4, 0, 0],
    ]);
    environment.cluster.cloudFaults.heal();
    environment.wait(60);
    expect(environment.ingress('web-2')).not.toBe('');
  });

  it('the back-off of a broken Service starts at 5 s again in a new process', () => {
    const environment = settled(1);
    environment.cluster.cloudFaults.add(FAILS);
    environment.addService('web-2');
    environment.wait(1000);
    const failedIn = (seconds: number): number => {
      const since = environment.clock.nowMs();
      environment.wait(seconds);
      return environment.calls('EnsureLoadBalancer', since).length;
    };
    expect(failedIn(300)).toBe(1);
    environment.cluster.crashProcess('cp-1', 'kcm');
    environment.until('a new owner', () => environment.owners().length === 1);
    // Both Services are ensured again, and each fails 6 times in five minutes: at 0, 5, 15, 35, 75 and 155 s.
    expect(failedIn(300)).toBe(12);
    expect(read(environment, 'workqueue_retries_total{name="service"}')).toEqual([12]);
  });

  it('a share of the calls fails when a ratio is ordered', () => {
    const environment = settled(40);
    environment.cluster.cloudFaults.add({ ...FAILS, ratio: 0.5 });
    joinNode(environment, 'worker-a');
    environment.wait(20);
    const [syncs, errors] = read(environment, SYNCS, ERRORS);
    expect(syncs).toBe(40);
    expect(errors).toBeGreaterThan(8);
    expect(errors).toBeLessThan(32);
  });

  it('a fault of one manager leaves the other one alone', () => {
    const environment = settled(0);
    environment.cluster.cloudFaults.add({ ...FAILS, manager: 'ccm' });
    environment.addService('web-1');
    environment.wait(5);
    expect(environment.ingress('web-1')).not.toBe('');
    environment.cluster.cloudFaults.add(FAILS);
    environment.cluster.cloudFaults.heal({ manager: 'ccm' });
    expect(environment.cluster.cloudFaults.list).toEqual([FAILS]);
  });

  it('a route that cannot be created is told by Events on its Node, and made once the cloud is healed', () => {
    const environment = settled(0);
    environment.cluster.cloudFaults.add({ ...FAILS, controller: 'route', op: 'CreateRoute' });
    joinNode(environment, 'worker-a');
    environment.wait(25);
    const told = eventsOf(environment, 'FailedToCreateRoute');
    expect(told.map(({ about }) => about)).toContain('worker-a');
    expect(told[0]?.message).toMatch(
      /^Could not create route [\da-f-]+ 10\.99\.0\.0\/24 for node worker-a after \d+ms: quota exceeded$/,
    );
    environment.cluster.cloudFaults.heal();
    const healed = environment.clock.nowMs();
    environment.wait(15);
    expect(environment.calls('CreateRoute', healed)).toHaveLength(1);
  });

  it('routes that cannot be listed are told by no Event, and none is created meanwhile', () => {
    const environment = settled(0);
    environment.cluster.cloudFaults.add({ ...FAILS, controller: 'route' });
    joinNode(environment, 'worker-a');
    environment.wait(25);
    expect(eventsOf(environment, 'FailedToCreateRoute')).toEqual([]);
    expect(environment.calls('CreateRoute')).toEqual([]);
    environment.cluster.cloudFaults.heal();
    environment.wait(15);
    expect(environment.calls('CreateRoute')).toHaveLength(1);
  });

  it('a Node that the cloud does not know keeps its taint while the queue of Nodes retries', () => {
    const plans = [node(external(), ccm({ migration: 'off' }))];
    const environment = new Environment({ plans }).wait(30);
    environment.cluster.cloudFaults.add({ ...FAILS, controller: 'node' });
    joinNode(environment, 'worker-a', 'node.cloudprovider.kubernetes.io/uninitialized');
    environment.wait(3);
    const page = environment.metrics('cp-1', 'ccm');
    expect(seriesIn(page, 'workqueue_retries_total{name="Nodes"}')).toBeGreaterThan(4);
    const name = 'node_controller_cloud_provider_taint_removal_delay_seconds';
    expect(seriesIn(page, `${name}_count`)).toBe(0);
  });
});
