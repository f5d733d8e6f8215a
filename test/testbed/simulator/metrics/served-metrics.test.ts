import { describe, expect, it } from '@jest/globals';
import type { Manager } from '../../../../domain/vocabulary.js';
import { goNumber } from '../../../../testbed/simulator/metrics/go-number.js';
import {
  exponentialEdges,
  MetricHistogram,
} from '../../../../testbed/simulator/metrics/histogram.js';
import { SERVED_METRICS } from '../../../../testbed/simulator/versions/served-metrics.js';
import { ccm, Environment, external, kcm, MAIN, node } from '../environment.js';
import { familiesIn, seriesIn } from './metrics-page.js';

/** Each metric with the minor that has it first, and who serves it once it leads. Source: upstream's modules, read by hand. */
const FIRST: readonly (readonly [name: string, from: number, only?: Manager])[] = [
  ['kubernetes_build_info', 21],
  ['leader_election_master_status', 21],
  ['node_controller_cloud_provider_taint_removal_delay_seconds', 28, 'ccm'],
  ['node_controller_initial_node_sync_delay_seconds', 28, 'ccm'],
  ['process_start_time_seconds', 21],
  ['route_controller_route_sync_total', 36],
  ['running_managed_controllers', 25],
  ['service_controller_loadbalancer_sync_total', 27],
  ['service_controller_nodesync_error_total', 27],
  ['service_controller_nodesync_latency_seconds', 21],
  ['service_controller_update_loadbalancer_host_latency_seconds', 21],
  ['workqueue_adds_total', 21],
  ['workqueue_depth', 21],
  ['workqueue_longest_running_processor_seconds', 21],
  ['workqueue_queue_duration_seconds', 21],
  ['workqueue_retries_total', 21],
  ['workqueue_unfinished_work_seconds', 21],
  ['workqueue_work_duration_seconds', 21],
];

/** Queue names with the minor that has them first. */
const QUEUES: readonly (readonly [name: string, from: number, only?: Manager])[] = [
  ['Nodes', 21, 'ccm'],
  ['node', 26],
  ['service', 21],
];

function namesAt(rows: typeof FIRST, minor: number, manager: Manager): readonly string[] {
  return rows
    .filter(([, from, only = manager]) => minor >= from && only === manager)
    .map(([name]) => name);
}

function leadingPage(manager: Manager, minor: number): string {
  const version = `1.${String(minor)}.0`;
  const plans =
    manager === 'kcm'
      ? [node(kcm({ version }))]
      : [node(external({ version }), ccm({ version, migration: 'off' }))];
  const environment = new Environment({ version, apiServerVersion: version, plans });
  environment.until('the service controller', () => environment.owners().length === 1);
  return environment.wait(2).metrics('cp-1', manager);
}

const minors = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
/** A KCM has no in-tree cloud controllers from 1.32 on. */
const PAGES = [
  ...minors(21, 31).map((minor) => ['kcm', minor] as const),
  ...minors(21, 36).map((minor) => ['ccm', minor] as const),
];

describe('metrics by version', () => {
  it.each(PAGES)(
    'a leading %s of 1.%i serves exactly the metrics of its version',
    (manager, minor) => {
      const page = leadingPage(manager, minor);
      expect(familiesIn(page)).toEqual(namesAt(FIRST, minor, manager));
      const queues = [...page.matchAll(/^workqueue_depth\{name="(.+)"\} /gm)].map(
        ([, name]) => name,
      );
      expect(queues).toEqual(namesAt(QUEUES, minor, manager));
    },
  );

  it('a KCM whose cloud controllers were removed serves none of their metrics', () => {
    const page = new Environment({ plans: [node(external({ version: '1.33.0' }))] })
      .wait(20)
      .metrics('cp-1', 'kcm');
    expect(page).toContain('leader_election_master_status');
    expect(page).not.toMatch(/service_controller|route_controller|node_controller|workqueue/);
  });

  it('a CCM that waits for its lock has the delays of Nodes, all zero, and nothing of the service controller', () => {
    const plans = [1, 2].map(() => node(null, ccm({ migration: 'off' })));
    const environment = new Environment({ plans }).wait(20);
    const waiting = environment.leader(MAIN.ccm) === 'cp-1' ? 'cp-2' : 'cp-1';
    const page = environment.metrics(waiting, 'ccm');
    const name = 'node_controller_initial_node_sync_delay_seconds';
    expect(seriesIn(page, `${name}_count`)).toBe(0);
    expect(page).not.toMatch(/service_controller|workqueue|running_managed/);
    expect(seriesIn(page, `leader_election_master_status{name="${MAIN.ccm}"}`)).toBe(0);
  });

  it('help texts say ALPHA, of queues and running controllers BETA in 1.36, and nothing of the process', () => {
    const levels = (minor: number): readonly string[] =>
      [...leadingPage('ccm', minor).matchAll(/^# HELP (\S+) (\[\w+\] )?/gm)].map(
        ([, name, level = '']) => `${name ?? ''} ${level}`,
      );
    const beta = /^(workqueue_|running_managed|kubernetes_build)/;
    const expected = (minor: number): readonly string[] =>
      namesAt(FIRST, minor, 'ccm').map((name) => {
        if (name === 'process_start_time_seconds') return `${name} `;
        return `${name} ${minor >= 36 && beta.test(name) ? '[BETA] ' : '[ALPHA] '}`;
      });
    expect(levels(35)).toEqual(expected(35));
    expect(levels(36)).toEqual(expected(36));
  });

  it('every row names the upstream source that it was read from', () => {
    expect(SERVED_METRICS.filter(({ source }) => !/\.go v?\d|\.go/.test(source))).toEqual([]);
  });

  it('a slow renewal is counted from 1.30 on, when a fast one was refused', () => {
    const count = (version: string): number | undefined => {
      const environment = new Environment({ plans: [node(kcm({ version }))] }).wait(20);
      const lease = environment.lease(MAIN.kcm);
      if (lease === undefined) throw new Error('no Lease');
      const metadata = { ...lease.metadata, annotations: { touched: 'yes' } };
      environment.cluster.store.update('leases', { ...lease, metadata });
      const page = environment.wait(5).metrics('cp-1', 'kcm');
      return seriesIn(page, `leader_election_slowpath_total{name="${MAIN.kcm}"}`);
    };
    expect([count('1.30.14'), count('1.29.15')]).toEqual([1, undefined]);
  });

  it('the process tells when it started, in seconds', () => {
    const environment = new Environment({ plans: [node(kcm())] }).wait(20);
    const [process] = environment.cluster.node('cp-1')?.host().processes ?? [];
    const page = environment.metrics('cp-1', 'kcm');
    expect(seriesIn(page, 'process_start_time_seconds')).toBeCloseTo(
      (process?.startedAtMs ?? 0) / 1000,
      2,
    );
  });
});

describe('the format of a page', () => {
  it.each([
    [0, '0'],
    [0.25, '0.25'],
    [16384, '16384'],
    [999999, '999999'],
    [1_000_000, '1e+06'],
    [1732290000.5, '1.7322900005e+09'],
    [1e-8, '1e-08'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
  ])('%p is written as Go writes it', (value, text) => {
    expect(goNumber(value)).toBe(text);
  });

  it.each([
    [
      'service_controller_nodesync_latency_seconds',
      '1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 +Inf',
    ],
    ['node_controller_initial_node_sync_delay_seconds', '1 4 16 64 256 1024 +Inf'],
    [
      'workqueue_work_duration_seconds',
      '1e-08 1e-07 1e-06 9.999999999999999e-06 9.999999999999999e-05 0.001 0.01 0.1 1 10 +Inf',
    ],
  ])('%s has the edges of upstream', (name, edges) => {
    const page = leadingPage('ccm', 30);
    const found = new Set(
      [...page.matchAll(new RegExp(`^${name}_bucket\\{.*le="([^"]+)"`, 'gm'))].map(([, le]) => le),
    );
    expect([...found].join(' ')).toBe(edges);
  });

  it('buckets are cumulative, an edge is included, and what is above the last is in the infinite one', () => {
    const histogram = new MetricHistogram(exponentialEdges(1, 4, 3));
    for (const seconds of [0.5, 1, 1.5, 16, 17]) histogram.observe(seconds);
    expect(histogram.cumulative()).toEqual([
      ['1', 2],
      ['4', 3],
      ['16', 4],
      ['+Inf', 5],
    ]);
    expect([histogram.sum, histogram.count]).toEqual([36, 5]);
  });
});
