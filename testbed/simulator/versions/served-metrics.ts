import { exponentialEdges } from '../metrics/histogram.js';

/**
 * The metrics of managers, minor by minor, as far as the health of the cloud controllers shows in them: the simulator's
 * own knowledge, read from the modules of the versions named (CP = k8s.io/cloud-provider, CB = k8s.io/component-base).
 * A KCM's row is chosen by its own minor, a CCM's by the minor of its library, which its image's tag names. A page
 * lacks `rest_client_*`, `cloudprovider_*`, `go_*` and the queues of other controllers.
 */
export type CounterName =
  | 'service_controller_loadbalancer_sync_total'
  | 'service_controller_nodesync_error_total'
  | 'route_controller_route_sync_total';

export type HistogramName =
  | 'service_controller_nodesync_latency_seconds'
  | 'service_controller_update_loadbalancer_host_latency_seconds'
  | 'node_controller_cloud_provider_taint_removal_delay_seconds'
  | 'node_controller_initial_node_sync_delay_seconds';

/** Who has a metric's value, and from when on. */
export type MetricOwner =
  /** From the process's start. */
  | { readonly by: 'process' | 'build' }
  /** From the first election; CCMs whose main does not import CB metrics/prometheus/clientgo have none. */
  | { readonly by: 'leaderStatus' | 'leaderSlowPath' }
  /** While a controller runs. */
  | { readonly by: 'runningControllers' }
  /** From the moment a controller with a named queue is built. */
  | { readonly by: 'queue'; readonly value: QueueValue }
  /** From the moment the controller is built, or in every CCM from its start: CP registers those in an init(). */
  | { readonly by: 'counter'; readonly name: CounterName; readonly in: 'service' | 'route' }
  | { readonly by: 'histogram'; readonly name: HistogramName; readonly in: 'service' | 'everyCcm' };

export type QueueValue =
  'depth' | 'adds' | 'retries' | 'waited' | 'worked' | 'unfinished' | 'longest';

export interface ServedMetric {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly owner: MetricOwner;
  readonly from: number;
  /** From this minor on the help text calls it BETA, before ALPHA; null: no such word. */
  readonly betaFrom?: number | null;
  readonly source: string;
}

const SERVICE_EDGES = exponentialEdges(1, 2, 15);
const NODE_EDGES = exponentialEdges(1, 4, 6);

/** Sources: CP controllers/service/metrics.go v0.21.14 to v0.36.0, controllers/node/metrics.go v0.28.15 to v0.36.0. */
export const HISTOGRAM_EDGES: Readonly<Record<HistogramName, readonly number[]>> = {
  service_controller_nodesync_latency_seconds: SERVICE_EDGES,
  service_controller_update_loadbalancer_host_latency_seconds: SERVICE_EDGES,
  node_controller_cloud_provider_taint_removal_delay_seconds: NODE_EDGES,
  node_controller_initial_node_sync_delay_seconds: NODE_EDGES,
};

/** Queues with metrics, by the loop that builds them. CP v0.21.14 to v0.25.16 sync nodes without a queue. */
export const SERVED_QUEUES: readonly {
  readonly queue: string;
  readonly loop: 'service' | 'cloud-node';
  readonly from: number;
  readonly source: string;
}[] = [
  {
    queue: 'Nodes',
    loop: 'cloud-node',
    from: 21,
    source: 'CP controllers/node/node_controller.go v0.21.14 to v0.36.0',
  },
  {
    queue: 'node',
    loop: 'service',
    from: 26,
    source: 'CP controllers/service/controller.go v0.26.15 to v0.36.0 (absent in v0.25.16)',
  },
  {
    queue: 'service',
    loop: 'service',
    from: 21,
    source: 'CP controllers/service/controller.go v0.21.14 to v0.36.0',
  },
];

const QUEUE_SOURCE = 'CB metrics/prometheus/workqueue/metrics.go v0.21.14 to v0.36.6';

function queueMetric(
  name: string,
  kind: ServedMetric['kind'],
  value: QueueValue,
  help: string,
): ServedMetric {
  const owner = { by: 'queue', value } as const;
  const source = QUEUE_SOURCE;
  return { name: `workqueue_${name}`, kind, help, owner, from: 21, betaFrom: 36, source };
}

const QUEUE_METRICS: readonly ServedMetric[] = [
  queueMetric('adds_total', 'counter', 'adds', 'Total number of adds handled by workqueue'),
  queueMetric('depth', 'gauge', 'depth', 'Current depth of workqueue'),
  queueMetric(
    'longest_running_processor_seconds',
    'gauge',
    'longest',
    'How many seconds has the longest running processor for workqueue been running.',
  ),
  queueMetric(
    'queue_duration_seconds',
    'histogram',
    'waited',
    'How long in seconds an item stays in workqueue before being requested.',
  ),
  queueMetric(
    'retries_total',
    'counter',
    'retries',
    'Total number of retries handled by workqueue',
  ),
  queueMetric(
    'unfinished_work_seconds',
    'gauge',
    'unfinished',
    "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values " +
      'indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.',
  ),
  queueMetric(
    'work_duration_seconds',
    'histogram',
    'worked',
    'How long in seconds processing an item from workqueue takes.',
  ),
];

/** Sorted by name, as a page lists them. None has been removed up to 1.36. */
export const SERVED_METRICS: readonly ServedMetric[] = [
  {
    name: 'kubernetes_build_info',
    kind: 'gauge',
    help:
      "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, " +
      'Go version, and compiler from which Kubernetes was built, and platform on which it is running.',
    owner: { by: 'build' },
    ...{ from: 21, betaFrom: 36 },
    source: 'CB metrics/prometheus/version/metrics.go v0.21.14 to v0.36.6',
  },
  {
    name: 'leader_election_master_status',
    kind: 'gauge',
    help:
      "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' " +
      'is the string used to identify the lease. Please make sure to group by name.',
    owner: { by: 'leaderStatus' },
    from: 21,
    source: 'CB metrics/prometheus/clientgo/leaderelection/metrics.go v0.21.14 to v0.36.6',
  },
  {
    name: 'leader_election_slowpath_total',
    kind: 'counter',
    help:
      "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify the lease. " +
      'Please make sure to group by name.',
    owner: { by: 'leaderSlowPath' },
    from: 30,
    source: 'CB metrics/prometheus/clientgo/leaderelection/metrics.go v0.30.14 (not in v0.29.15)',
  },
  {
    name: 'node_controller_cloud_provider_taint_removal_delay_seconds',
    kind: 'histogram',
    help: 'Number of seconds after node creation when NodeController removed the cloud-provider taint of a single node.',
    owner: {
      by: 'histogram',
      name: 'node_controller_cloud_provider_taint_removal_delay_seconds',
      in: 'everyCcm',
    },
    from: 28,
    source: 'CP controllers/node/metrics.go v0.28.15 to v0.36.0 (not in v0.27.16)',
  },
  {
    name: 'node_controller_initial_node_sync_delay_seconds',
    kind: 'histogram',
    help: 'Number of seconds after node creation when NodeController finished the initial synchronization of a single node.',
    owner: {
      by: 'histogram',
      name: 'node_controller_initial_node_sync_delay_seconds',
      in: 'everyCcm',
    },
    from: 28,
    source: 'CP controllers/node/metrics.go v0.28.15 to v0.36.0 (not in v0.27.16)',
  },
  {
    name: 'process_start_time_seconds',
    kind: 'gauge',
    help: 'Start time of the process since unix epoch in seconds.',
    owner: { by: 'process' },
    ...{ from: 21, betaFrom: null },
    source:
      'prometheus/client_golang prometheus/process_collector.go v1.16.0, by CB legacyregistry',
  },
  {
    name: 'route_controller_route_sync_total',
    kind: 'counter',
    help: 'A metric counting the amount of times routes have been synced with the cloud provider.',
    owner: { by: 'counter', name: 'route_controller_route_sync_total', in: 'route' },
    from: 36,
    source: 'CP controllers/route/metrics.go v0.36.0 (not in v0.35.1)',
  },
  {
    name: 'running_managed_controllers',
    kind: 'gauge',
    help: 'Indicates where instances of a controller are currently running',
    owner: { by: 'runningControllers' },
    ...{ from: 25, betaFrom: 36 },
    source:
      'CB metrics/prometheus/controllers/metrics.go, CP app/controllermanager.go v0.25.0; run on 1.30.14',
  },
  {
    name: 'service_controller_loadbalancer_sync_total',
    kind: 'counter',
    help: 'A metric counting the amount of times any load balancer has been configured, as an effect of service/node changes on the cluster',
    owner: { by: 'counter', name: 'service_controller_loadbalancer_sync_total', in: 'service' },
    from: 27,
    source:
      'CP controllers/service/metrics.go v0.27.4; counted in lockedUpdateLoadBalancerHosts alone, v0.27.4 to v0.36.0',
  },
  {
    name: 'service_controller_nodesync_error_total',
    kind: 'counter',
    help: 'A metric counting the amount of times any load balancer has been configured and errored, as an effect of node changes on the cluster',
    owner: { by: 'counter', name: 'service_controller_nodesync_error_total', in: 'service' },
    from: 27,
    source:
      'CP controllers/service/metrics.go v0.27.4; counted in nodeSyncService, v0.27.4 to v0.36.0',
  },
  {
    name: 'service_controller_nodesync_latency_seconds',
    kind: 'histogram',
    help: 'A metric measuring the latency for nodesync which updates loadbalancer hosts on cluster node updates.',
    owner: {
      by: 'histogram',
      name: 'service_controller_nodesync_latency_seconds',
      in: 'service',
    },
    from: 21,
    source: 'CP controllers/service/metrics.go v0.21.14 to v0.36.0',
  },
  {
    name: 'service_controller_update_loadbalancer_host_latency_seconds',
    kind: 'histogram',
    help: 'A metric measuring the latency for updating each load balancer hosts.',
    owner: {
      by: 'histogram',
      name: 'service_controller_update_loadbalancer_host_latency_seconds',
      in: 'service',
    },
    from: 21,
    source: 'CP controllers/service/metrics.go v0.21.14 to v0.36.0',
  },
  ...QUEUE_METRICS,
];
