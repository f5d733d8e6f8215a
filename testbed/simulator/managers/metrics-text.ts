import { MANAGER_NAMES } from '../../base/manager-names.js';
import { RUNNING_GAUGE } from '../versions/behaviour.js';
import { valueFor } from '../versions/by-minor.js';
import type { LoopMetric } from '../loops/loop-context.js';
import type { SimulatedManager } from './simulated-manager.js';

/** Counters of loops under their real names; absent until the controller was built in this process. */
const COUNTERS: readonly {
  readonly metric: LoopMetric;
  readonly name: string;
  readonly loop: string;
}[] = [
  {
    metric: 'loadBalancerSync',
    name: 'service_controller_loadbalancer_sync_total',
    loop: 'service',
  },
  { metric: 'nodeSyncError', name: 'service_controller_nodesync_error_total', loop: 'service' },
  { metric: 'routeSync', name: 'route_controller_route_sync_total', loop: 'route' },
];

/** Exposition text of a manager's `/metrics`, limited to what migrations read. */
export function metricsText(process: SimulatedManager): string {
  const { settings } = process;
  const lines: string[] = [];
  const gauge = (name: string, labels: string, value: number): void => {
    if (!lines.includes(`# TYPE ${name} gauge`)) lines.push(`# TYPE ${name} gauge`);
    lines.push(`${name}${labels} ${String(value)}`);
  };
  gauge('process_start_time_seconds', '', process.startedAtMs / 1000);
  if (settings === null) return `${lines.join('\n')}\n`;
  gauge('kubernetes_build_info', `{git_version="v${settings.version}"}`, 1);
  if (settings.build?.servesElectionMetric !== false) {
    for (const [name, elector] of process.electors) {
      gauge('leader_election_master_status', `{name="${name}"}`, elector.holds ? 1 : 0);
    }
  }
  if (valueFor(RUNNING_GAUGE, settings.minor)) {
    for (const loop of process.loops.running) {
      gauge(
        'running_managed_controllers',
        `{manager="${MANAGER_NAMES[process.manager]}",name="${loop}"}`,
        1,
      );
    }
  }
  return `${[...lines, ...counterLines(process), ...taintHistogram(process)].join('\n')}\n`;
}

function counterLines(process: SimulatedManager): readonly string[] {
  const { running, counts } = process.loops;
  const built = new Set<string>(running);
  return COUNTERS.filter(({ loop }) => built.has(loop)).flatMap(({ metric, name }) => [
    `# TYPE ${name} counter`,
    `${name} ${String(counts.get(metric) ?? 0)}`,
  ]);
}

/** Nodes initialized by this process; here all fall into upstream's first bucket of one second. */
function taintHistogram(process: SimulatedManager): readonly string[] {
  const { running, counts } = process.loops;
  if (!running.has('cloud-node')) return [];
  const name = 'node_controller_cloud_provider_taint_removal_delay_seconds';
  const count = String(counts.get('nodeInitialized') ?? 0);
  const edges = ['1', '4', '16', '64', '256', '1024', '+Inf'];
  return [
    `# TYPE ${name} histogram`,
    ...edges.map((edge) => `${name}_bucket{le="${edge}"} ${count}`),
    `${name}_sum ${count}`,
    `${name}_count ${count}`,
  ];
}
