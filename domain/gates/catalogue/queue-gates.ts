import type { CatalogueGate, GateMeasure, ServedBy, MetricSeries } from './catalogue-gate.js';

const WORKQUEUE =
  'k8s.io/component-base metrics/prometheus/workqueue/metrics.go, k8s.io/client-go util/workqueue/metrics.go (updateUnfinishedWork); queue names: k8s.io/cloud-provider controllers/{service,node}';

/** A call that should take seconds is stuck after this time. The service controller itself waits at most 300 s between tries. */
const STUCK_SECONDS = 120;

interface Queue {
  readonly name: string;
  readonly label: string;
  readonly what: string;
  readonly served: readonly ServedBy[];
}

const QUEUES: readonly Queue[] = [
  {
    name: 'service',
    label: 'service',
    what: 'Services',
    served: [
      { manager: 'kcm', minors: { from: 21, to: null }, provider: null },
      { manager: 'ccm', minors: { from: 21, to: null }, provider: null },
    ],
  },
  {
    name: 'node',
    label: 'node',
    what: 'host updates of load balancers',
    served: [
      { manager: 'kcm', minors: { from: 26, to: null }, provider: null },
      { manager: 'ccm', minors: { from: 26, to: null }, provider: null },
    ],
  },
  {
    name: 'cloudNode',
    label: 'Nodes',
    what: 'Nodes',
    served: [{ manager: 'ccm', minors: { from: 21, to: null }, provider: null }],
  },
];

function gauge(metric: string, { label }: Queue): MetricSeries {
  return { name: `workqueue_${metric}`, labels: { name: label } };
}

function gatesOf(queue: Queue): readonly CatalogueGate[] {
  const { name, what, served } = queue;
  const gate = (
    suffix: string,
    about: string,
    measure: GateMeasure,
    blind: string,
  ): CatalogueGate => ({
    ...{ name: `${name}${suffix}`, about, measure, blind, served },
    ...{ comparable: false, source: WORKQUEUE },
  });
  const stuck = (metric: string, decidedBy: string | null): GateMeasure => ({
    ...{ kind: 'stuck', gauge: gauge(metric, queue), limitSeconds: STUCK_SECONDS, decidedBy },
  });
  const ends = 'Work that ends, however badly.';
  const longest = `${name}ProcessorStuck`;
  return [
    gate(
      'QueueStuck',
      `Work on ${what} that has been unfinished for longer than ${String(STUCK_SECONDS)} s, all of it added up, with a piece that alone has taken so long.`,
      stuck('unfinished_work_seconds', longest),
      ends,
    ),
    gate(
      'ProcessorStuck',
      `One piece of work on ${what} that has run for longer than ${String(STUCK_SECONDS)} s, as a call that hangs does.`,
      stuck('longest_running_processor_seconds', null),
      ends,
    ),
    gate(
      'QueueBacklog',
      `Work on ${what} that waits, and does not become less after the first full resync.`,
      { kind: 'backlog', gauge: gauge('depth', queue) },
      'What waits for its next try: it is in no queue until then.',
    ),
  ];
}

/** Gates that read the work queues: a call that hangs is in no histogram until it ends. */
export const QUEUE_GATES: readonly CatalogueGate[] = QUEUES.flatMap(gatesOf);
