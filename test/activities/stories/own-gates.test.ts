import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createPrometheusSource } from '../../../activities/adapters/metrics/prometheus.js';
import { failureDetailsOf, failureTypeOf } from '../../../activities/failures.js';
import { createMetricBatcher } from '../../../activities/gates/metric-batcher.js';
import type { ClusterMetrics } from '../../../activities/ports.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import type { MetricGatePolicy, OwnGate } from '../../../domain/policy.js';
import { does, finished, GivenRun } from '../../domain/run/given-run.js';
import { openEnvironment, type Environment } from '../environment.js';
import {
  type Counted,
  standInPrometheus,
  type Scraped,
  type StandInPrometheus,
} from '../gates/stand-in-prometheus.js';
import { endGuards, guardBeside } from '../guard-beside.js';
import { fenceNote, passedUntil } from '../noted-gates.js';

jest.setTimeout(120_000);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SCRAPE_MS = 15 * SECOND;

const LAG: OwnGate = { name: 'lag', kind: 'gauge', promql: 'max(lag)', limit: { above: 10 } };
const ERRORS: OwnGate = {
  ...{ name: 'errors', kind: 'ratio', bad: 'errors_total', total: 'calls_total', limit: 0.05 },
};
/** Of each second. */
const CALLS = 2;
const GATES: MetricGatePolicy = {
  ...{ catalogue: 'off', except: [], everyMs: SCRAPE_MS, unmeasuredMs: 2 * MINUTE },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};
const MATCH = { cluster: 'c1' };
/** Long before any clock of a test. */
const STARTED_MS = 1_000_000_000_000;

describe("gates of the operator's own beside a run", () => {
  let environment: Environment;
  let prometheus: StandInPrometheus;
  let values: readonly string[];
  let warnings: readonly string[];
  let close: () => Promise<void>;
  afterEach(async () => {
    await endGuards();
    await environment.close();
    await close();
    await prometheus.kill();
  });

  /** When calls began to fail; null while they do not. */
  let failingSinceMs: number | null;
  const countedAt = (atMs: number): Counted => {
    const scrapedAtMs = lastScrapeMs(atMs);
    const failingMs = Math.max(0, scrapedAtMs - (failingSinceMs ?? Infinity));
    const picked = Math.floor((CALLS * failingMs) / SECOND);
    const total = Math.floor((CALLS * scrapedAtMs) / SECOND);
    return { picked, total, scrapedAtMs, startedAtMs: STARTED_MS };
  };

  /** A Prometheus that scrapes the metric at full quarters of a minute, and a run that asks it. */
  const opened = async (own: readonly OwnGate[] = [LAG]): Promise<void> => {
    [values, warnings, failingSinceMs] = [['1'], [], null];
    const scraped = (): readonly Scraped[] =>
      values.map((value) => ({ value, atMs: lastScrapeMs(environment.clock.nowMs()) }));
    const nowMs = (): number => environment.clock.nowMs();
    prometheus = standInPrometheus(
      { nowMs, scraped, counted: countedAt, warnings: () => warnings },
      MATCH,
    );
    await prometheus.start();
    const source = createPrometheusSource({ url: prometheus.url, caFile: null, tokenFile: null });
    close = () => source.close();
    const batcher = createMetricBatcher(source, { pause: () => Promise.resolve() });
    const metrics: ClusterMetrics = {
      ...{ host: new URL(prometheus.url).host, labels: ['cluster'], staleAfterMs: 2 * MINUTE },
      own: (query, signal) => batcher.own(query, MATCH, signal),
      joined: (query, signal) => batcher.joined(query, MATCH, signal),
    };
    environment = await openEnvironment({
      spec: { nodes: 1 },
      timings: { guardMs: SECOND, requestMs: 10 * SECOND },
      policy: { metricGates: { ...GATES, own }, onBreach: 'rollBack' },
    });
    const { connect } = environment.guardDependencies;
    Object.assign(environment, {
      guardDependencies: {
        ...environment.guardDependencies,
        connect: async (...of: Parameters<typeof connect>) => ({
          ...(await connect(...of)),
          metrics,
        }),
      },
    });
    await environment.fence();
  };
  const breach = (): Promise<string> => fenceNote(environment, 'breach');
  const changed = (): Promise<unknown> =>
    environment
      .takePart(() => environment.take({ kind: 'recordBaseline' }))
      .catch((error: unknown) => error);

  it('a Prometheus that is killed holds under rollBack too, never turns, and heals when it is back', async () => {
    await opened();
    const guard = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    expect(await breach()).toBe('');
    await prometheus.kill();
    await passedUntil(environment, async () => (await breach()) !== '', 3 * MINUTE);
    expect(await breach()).toMatch(/^CCM3103 lag: query metrics at 127\.0\.0\.1:\d+: /);
    const refused = await changed();
    expect(failureTypeOf(refused)).toBe('Breach');
    expect(failureDetailsOf(refused)).toMatchObject({
      ...{ wrote: false, verdicts: [{ gate: 'lag', verdict: 'error' }] },
    });
    const held = runBy(JSON.parse(await fenceNote(environment, 'gates')) as GateVerdict[]);
    expect(held.state.direction.target).toBe('ccm');
    expect(held.state.problems.holdReason).toMatchObject({ kind: 'gates' });
    await prometheus.start();
    await passedUntil(environment, async () => (await breach()) === '', MINUTE);
    expect(failureTypeOf(await changed())).toBeNull();
    expect(guard.told).toEqual([]);
    expect((await guard.end()).breaches).toEqual([]);
  });

  it('a gauge beyond its limit stops changes at once, and turns the run by its third scrape', async () => {
    await opened();
    const guard = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    values = ['11.5'];
    const suspectedMs = await passedUntil(environment, async () => (await breach()) !== '', MINUTE);
    expect(suspectedMs).toBeLessThanOrEqual(2 * SCRAPE_MS + 5 * SECOND);
    expect(await breach()).toBe('CCM3102 lag: 11.5, bad above 10, in 1 scrape in a row');
    expect(guard.told).toEqual([]);
    await passedUntil(environment, async () => (await breach()).includes('CCM3101'), MINUTE);
    expect(guard.told).toEqual(['CCM3101']);
    const { breaches } = await guard.end();
    expect(breaches).toMatchObject([
      { gate: 'lag', verdict: 'fail', numbers: { value: 11.5, limit: 10, query: 'max(lag)' } },
    ]);
    expect(runBy(breaches).state.direction).toMatchObject({
      ...{ target: 'kcm', requestedBy: { actor: 'policy onBreach' } },
    });
  });

  it('events that fail stop changes within some scrapes, and turn the run once that is no chance', async () => {
    await opened([ERRORS]);
    const guard = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    expect(await breach()).toBe('');
    failingSinceMs = environment.clock.nowMs();
    const suspectedMs = await passedUntil(environment, async () => (await breach()) !== '', MINUTE);
    expect(suspectedMs).toBeLessThanOrEqual(2 * SCRAPE_MS + 5 * SECOND);
    expect(await breach()).toMatch(/^CCM3102 errors: \d+ of \d+ events bad in \d+ s/);
    expect(failureTypeOf(await changed())).toBe('Breach');
    expect(guard.told).toEqual([]);
    await passedUntil(environment, async () => (await breach()).includes('CCM3101'), 2 * MINUTE);
    expect(guard.told).toEqual(['CCM3101']);
    const { breaches } = await guard.end();
    // Six hours of two calls a second, none of which failed.
    const before = { bad: 0, events: 6 * 3600 * CALLS };
    expect(breaches).toMatchObject([
      {
        ...{ gate: 'errors', verdict: 'fail' },
        numbers: { limit: 0.05, query: 'errors_total / calls_total', counted: { before } },
      },
    ]);
    expect(runBy(breaches).state.direction.target).toBe('kcm');
  });

  it('what was usual is asked for once, and goes on in the next attempt of the guard', async () => {
    await opened([ERRORS]);
    const asked = (): number => prometheus.queries.length;
    const guard = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    const { memory } = await guard.end();
    const before = memory.own?.counted?.gates['errors'];
    expect(before).toMatchObject({ baseline: { bad: 0, total: 43_200 } });
    failingSinceMs = environment.clock.nowMs();
    const count = asked();
    guardBeside(environment, { memory });
    await passedUntil(environment, async () => (await breach()).includes('CCM3101'), 3 * MINUTE);
    expect(asked() - count).toBeLessThan(14);
    expect(await breach()).toMatch(/, 0 of 43200 before: /);
  });

  it.each<[string, () => void, string]>([
    ['no result', () => (values = []), 'the query has no result'],
    ['several series', () => (values = ['1', '2']), 'the query has 2 series, not one'],
    ['NaN', () => (values = ['NaN']), 'the query results in NaN'],
    ['a warning', () => (warnings = ['a store is away']), 'the answer may be partial'],
  ])('an answer with %s holds, and heals by itself', async (_name, spoil, why) => {
    await opened();
    spoil();
    guardBeside(environment);
    await passedUntil(environment, async () => (await breach()) !== '', MINUTE);
    expect(await breach()).toContain('CCM3103 lag: ');
    expect(await breach()).toContain(why);
    [values, warnings] = [['1'], []];
    await passedUntil(environment, async () => (await breach()) === '', MINUTE);
  });

  it('a cluster without a Prometheus in the inventory of its worker holds', async () => {
    await opened();
    const { connect } = environment.guardDependencies;
    const without = async (...of: Parameters<typeof connect>) => {
      const { metrics: _metrics, ...ports } = await connect(...of);
      return ports;
    };
    Object.assign(environment, {
      guardDependencies: { ...environment.guardDependencies, connect: without },
    });
    guardBeside(environment);
    await passedUntil(environment, async () => (await breach()) !== '', MINUTE);
    expect(await breach()).toContain('CCM3103 lag: the inventory of this worker names no');
  });

  it('the book goes on in the next attempt of the guard', async () => {
    await opened();
    values = ['11'];
    const guard = guardBeside(environment);
    await environment.clock.sleep(20 * SECOND);
    const { memory } = await guard.end();
    expect(memory.own).toMatchObject({ gates: { lag: { beyond: { scrapes: 2 } } } });
    guardBeside(environment, { memory });
    await passedUntil(environment, async () => (await breach()).includes('CCM3101'), MINUTE);
    expect(await breach()).toContain('in 3 scrapes in a row');
  });
});

function lastScrapeMs(nowMs: number): number {
  return Math.floor(nowMs / SCRAPE_MS) * SCRAPE_MS;
}

/** A run with `onBreach: rollBack` whose step ended with these verdicts. */
function runBy(verdicts: Parameters<typeof finished>[0]): GivenRun {
  return new GivenRun([does()], { onBreach: 'rollBack' }).stepping().on(finished(verdicts));
}
