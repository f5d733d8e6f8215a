/** Guards of what the simulator says of itself: a page that lies would confirm a gate that is wrong. */
const NODES = 'testbed/simulator/loops/node-sync.ts';
const SERVED = 'testbed/simulator/versions/served-metrics.ts';
const PAGE = 'testbed/simulator/managers/metrics-text.ts';
const QUEUE = 'testbed/simulator/metrics/work-queue.ts';
const FAULTS = 'testbed/simulator/cloud/cloud-faults.ts';
const CLOUD = 'testbed/simulator/cloud/fake-cloud.ts';
const LOOPS = 'testbed/simulator/managers/process-loops.ts';
const served = { tests: ['test/testbed/simulator/metrics/served-metrics.test'] };
const harm = { tests: ['test/testbed/simulator/metrics/cloud-harm.test'] };
const hanging = { tests: ['test/testbed/simulator/metrics/hanging-cloud.test'] };
const queues = { tests: ['test/testbed/simulator/metrics/work-queue.test'] };
const events = { tests: ['test/testbed/simulator/metrics/events.test'] };

export const SIMULATED_METRIC_GUARDS = [
  {
    name: 'simulated metrics: a metric is absent before its first version',
    file: PAGE,
    from: 'settings.minor >= metric.from',
    to: 'settings.minor >= 21',
    ...served,
  },
  {
    name: 'simulated metrics: routes are counted from 1.36 on only',
    file: SERVED,
    from: "from: 36,\n    source: 'CP controllers/route",
    to: "from: 35,\n    source: 'CP controllers/route",
    ...served,
  },
  {
    name: 'simulated metrics: nothing of a controller that this process has not built',
    file: PAGE,
    from: "owner.in === 'everyCcm' ? process.manager === 'ccm' : running.has(owner.in)",
    to: 'true',
    ...served,
  },
  {
    name: 'simulated metrics: a failed node sync is an error',
    file: NODES,
    from: "if (error !== null) metrics.count('service_controller_nodesync_error_total');",
    to: '',
    ...harm,
  },
  {
    name: 'simulated metrics: a failed node sync is tried again',
    file: NODES,
    from: 'for (const key of failed) retry(key);',
    to: '',
    ...harm,
  },
  {
    name: 'simulated metrics: no node sync without another set of Nodes',
    file: NODES,
    from: 'const isOther = cached.hosts !== digest;',
    to: 'const isOther = true;',
    ...harm,
  },
  {
    name: 'simulated queue: a success ends the back-off',
    file: QUEUE,
    from: 'else this.failures.delete(key);',
    to: '',
    ...queues,
  },
  {
    name: 'simulated queue: the back-off ends at its longest',
    file: QUEUE,
    from: 'Math.min(backOffMs.first * 2 ** before, backOffMs.longest)',
    to: 'backOffMs.first * 2 ** before',
    ...queues,
  },
  {
    name: 'simulated cloud: a fault of one manager spares the other',
    file: FAULTS,
    from: '(one.manager ?? manager) === manager',
    to: 'true',
    ...harm,
  },
  {
    name: 'simulated cloud: a hanging call has no end',
    file: CLOUD,
    from: "if (verdict.kind === 'hang') {",
    to: "if (verdict.kind === 'hang' && this.hanging.size > 99) {",
    ...hanging,
  },
  {
    name: 'simulated cloud: a failed call has no effect',
    file: LOOPS,
    from: 'if (error === null) effect?.();',
    to: 'effect?.();',
    ...harm,
  },
  {
    name: 'simulated cloud: an ended process’s hanging calls are given up',
    file: LOOPS,
    from: 'for (const cancel of this.openCalls) cancel();',
    to: '',
    ...hanging,
  },
  {
    name: 'simulated Events: one object is told of 25 times and then rarely',
    file: 'testbed/simulator/loops/event-recorder.ts',
    from: 'if (this.mayTell(about)) this.write',
    to: 'this.write',
    ...events,
  },
  {
    name: 'simulated Events: a cluster keeps few',
    file: 'testbed/simulator/store/event-expiry.ts',
    from: 'written.size > MOST_EVENTS ? written : []',
    to: '[]',
    ...events,
  },
];
