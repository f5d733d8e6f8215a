import { MANAGER_NAMES } from '../../base/manager-names.js';
import { goNumber } from '../metrics/go-number.js';
import type { MetricHistogram } from '../metrics/histogram.js';
import type { WorkQueue } from '../metrics/work-queue.js';
import {
  SERVED_METRICS,
  SERVED_QUEUES,
  type MetricOwner,
  type QueueValue,
  type ServedMetric,
} from '../versions/served-metrics.js';
import type { ManagerSettings } from './settings.js';
import type { SimulatedManager } from './simulated-manager.js';

/** One series of a metric: its labels as `name="value"`, empty for none. */
interface Series {
  readonly labels: string;
  readonly value: number | MetricHistogram;
}

/**
 * Exposition text of a manager's `/metrics`: exactly the metrics that its version has (`SERVED_METRICS`), with the help
 * and type lines of upstream. Durations of work in hand are computed now, where upstream does so every 500 ms.
 */
export function metricsText(process: SimulatedManager, nowMs: number): string {
  const { settings } = process;
  const families = SERVED_METRICS.flatMap((metric) => {
    const served =
      settings === null ? metric.owner.by === 'process' : settings.minor >= metric.from;
    const all = served ? seriesOf(process, metric.owner, nowMs) : [];
    return all.length === 0 ? [] : [...head(metric, settings), ...all.flatMap(lines(metric.name))];
  });
  return `${families.join('\n')}\n`;
}

/** The election series alone, without their help, as a snapshot of a node reads them. */
export function electionLines(process: SimulatedManager): string {
  const { by, name } = { by: 'leaderStatus', name: 'leader_election_master_status' } as const;
  return leaderSeries(process, by).flatMap(lines(name)).join('\n');
}

function head(metric: ServedMetric, settings: ManagerSettings | null): readonly string[] {
  const { name, kind, help, betaFrom = Number.POSITIVE_INFINITY } = metric;
  const isBeta = betaFrom !== null && (settings?.minor ?? 0) >= betaFrom;
  const stability = betaFrom === null ? '' : isBeta ? '[BETA] ' : '[ALPHA] ';
  return [`# HELP ${name} ${stability}${help}`, `# TYPE ${name} ${kind}`];
}

const lines =
  (name: string) =>
  ({ labels, value }: Series): readonly string[] => {
    const labelled = labels === '' ? '' : `{${labels}}`;
    if (typeof value === 'number') return [`${name}${labelled} ${goNumber(value)}`];
    const before = labels === '' ? '' : `${labels},`;
    return [
      ...value
        .cumulative()
        .map(([edge, count]) => `${name}_bucket{${before}le="${edge}"} ${goNumber(count)}`),
      `${name}_sum${labelled} ${goNumber(value.sum)}`,
      `${name}_count${labelled} ${goNumber(value.count)}`,
    ];
  };

function seriesOf(process: SimulatedManager, owner: MetricOwner, nowMs: number): readonly Series[] {
  const { metrics, running } = process.loops;
  switch (owner.by) {
    case 'process':
      return [{ labels: '', value: process.startedAtMs / 1000 }];
    case 'build':
      return buildSeries(process.settings);
    case 'leaderStatus':
    case 'leaderSlowPath':
      return leaderSeries(process, owner.by);
    case 'runningControllers':
      return [...running].sort().map((loop) => ({
        labels: `manager="${MANAGER_NAMES[process.manager]}",name="${loop}"`,
        value: 1,
      }));
    case 'queue':
      return queueSeries(process, owner.value, nowMs);
    case 'counter':
      return running.has(owner.in) ? [{ labels: '', value: metrics.counted(owner.name) }] : [];
    case 'histogram': {
      const has = owner.in === 'everyCcm' ? process.manager === 'ccm' : running.has(owner.in);
      return has ? [{ labels: '', value: metrics.histogram(owner.name) }] : [];
    }
  }
}

/** Upstream's labels of commit, date, compiler and platform are left out. */
function buildSeries(settings: ManagerSettings | null): readonly Series[] {
  if (settings === null) return [];
  const { version, minor } = settings;
  const labels = `git_version="v${version}",major="1",minor="${String(minor)}"`;
  return [{ labels, value: 1 }];
}

/** A counter of a lock appears with its first count, a gauge with its elector. */
function leaderSeries(
  { settings, electors }: SimulatedManager,
  by: 'leaderStatus' | 'leaderSlowPath',
): readonly Series[] {
  if (settings === null || settings.build?.servesElectionMetric === false) return [];
  return [...electors].flatMap(([name, elector]) => {
    const value = by === 'leaderStatus' ? Number(elector.holds) : elector.slowPaths;
    return by === 'leaderSlowPath' && value === 0 ? [] : [{ labels: `name="${name}"`, value }];
  });
}

function queueSeries(
  { settings, loops }: SimulatedManager,
  value: QueueValue,
  nowMs: number,
): readonly Series[] {
  return SERVED_QUEUES.flatMap(({ queue, from }) => {
    const found = loops.metrics.queues.get(queue);
    if (found === undefined || (settings?.minor ?? 0) < from) return [];
    return [{ labels: `name="${queue}"`, value: queueValue(found, value, nowMs) }];
  });
}

function queueValue(queue: WorkQueue, value: QueueValue, nowMs: number): number | MetricHistogram {
  switch (value) {
    case 'depth':
    case 'adds':
    case 'retries':
    case 'waited':
    case 'worked':
      return queue[value];
    case 'unfinished':
      return queue.unfinished(nowMs).total;
    case 'longest':
      return queue.unfinished(nowMs).longest;
  }
}
