import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { inspectCluster } from '../../../activities/inspection.js';
import type { ClusterMetrics, ClusterPorts, MetricAnswer } from '../../../activities/ports.js';
import type { MetricGatePolicy, OwnGate } from '../../../domain/policy.js';
import type { UnreadSource } from '../../../domain/preflight/preflight-check.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(60_000);

const GATES: MetricGatePolicy = {
  ...{ catalogue: 'nodes', objects: 'watch', except: [], everyMs: 15_000, unmeasuredMs: 120_000 },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

describe('what the gates of a policy cannot read', () => {
  let environment: Environment;
  afterEach(() => environment.close());

  const unread = async (
    gates: MetricGatePolicy | undefined,
    change: (ports: ClusterPorts) => Partial<ClusterPorts> = () => ({}),
  ): Promise<readonly UnreadSource[]> => {
    environment = await openEnvironment({
      spec: { nodes: 2 },
      policy: gates === undefined ? {} : { metricGates: gates },
    });
    const { context, clock, ports } = environment;
    const inspection = await inspectCluster({ ...ports, ...change(ports) }, { ...context, clock });
    expect((await environment.journal()).filter(({ tookEffect }) => tookEffect)).toEqual([]);
    return inspection.gatesUnread;
  };
  const refusing = ({ processes, api }: ClusterPorts): Partial<ClusterPorts> => ({
    processes: {
      ...processes,
      metrics: async (node, manager, options) => {
        if (node === 'cp-2') throw failure('Forbidden', 'grant get on nonResourceURLs /metrics');
        return processes.metrics(node, manager, options);
      },
    },
    api: {
      ...api,
      list: async (ref, options) => {
        if (ref.kind === 'Event') throw failure('Forbidden', 'may not list events');
        return api.list(ref, options);
      },
    },
  });

  it('is nothing on a cluster whose pages and objects can be read', async () => {
    expect(await unread(GATES)).toEqual([]);
  });

  it('names each page, the objects, and what is missing', async () => {
    expect(await unread(GATES, refusing)).toEqual([
      {
        ...{ source: 'pages', place: 'kcm on cp-2' },
        why: expect.stringContaining('grant get on nonResourceURLs /metrics'),
      },
      {
        ...{ source: 'objects', place: 'Services, Nodes and Events' },
        why: expect.stringContaining('may not list events'),
      },
    ]);
  });

  it('a manager without a page is unread, too', async () => {
    const silent = ({ processes }: ClusterPorts): Partial<ClusterPorts> => ({
      processes: { ...processes, metrics: () => Promise.resolve(null) },
    });
    expect(await unread(GATES, silent)).toMatchObject([
      { place: 'kcm on cp-1', why: expect.stringContaining('no process serves metrics') },
      { place: 'kcm on cp-2' },
    ]);
  });

  it("is the cloud's own list where that does not answer", async () => {
    const away = () => Promise.reject(failure('Forbidden', 'not for this user'));
    const nothing = { ...GATES, catalogue: 'off', objects: 'off' } as const;
    expect(await unread(nothing, () => ({ cloud: { loadBalancers: away } }))).toEqual([
      { source: 'cloud', place: 'load balancers of the cloud', why: 'not for this user' },
    ]);
  });

  it("reads what the operator's own gates ask for, once each", async () => {
    const asked: string[] = [];
    const answer = (promql: string): Promise<MetricAnswer> => {
      asked.push(promql);
      const empty = { kind: 'calculated', series: [], infos: [], serverTimeMs: null } as const;
      return promql.includes('away')
        ? Promise.reject(failure('Unavailable', 'the server is away'))
        : Promise.resolve(empty);
    };
    const metrics: ClusterMetrics = {
      ...{ host: 'prometheus', labels: ['cluster'], staleAfterMs: 60_000 },
      own: ({ promql }) => answer(promql),
      joined: ({ promql }) => answer(promql([{ cluster: 'c1' }])),
    };
    const own: readonly OwnGate[] = [
      { name: 'lag', kind: 'gauge', promql: 'max(lag)', limit: { above: 1 } },
      { name: 'errors', kind: 'ratio', bad: 'errors', total: 'calls', limit: 0.1 },
      { name: 'slow', kind: 'quantile', histogram: 'away', quantile: 0.9, limit: 1 },
    ];
    const gates: MetricGatePolicy = { ...GATES, catalogue: 'off', objects: 'off', own };
    const nothing = await unread(gates, () => ({ metrics }));
    expect(nothing).toEqual([
      { source: 'own', place: 'lag', why: 'the query has no result' },
      { source: 'own', place: 'errors', why: 'no series of calls now' },
      { source: 'own', place: 'slow', why: 'the server is away' },
    ]);
    expect(asked).toHaveLength(3);
    await environment.close();
    expect((await unread(gates)).map(({ why }) => why)).toEqual(
      own.map(() => expect.stringContaining('names no Prometheus')),
    );
  });

  it.each<readonly [string, MetricGatePolicy | undefined, readonly string[]]>([
    ['nothing is judged', { ...GATES, catalogue: 'off', objects: 'off' }, []],
    ['an older build wrote the policy', undefined, []],
    ['objects alone are judged', { ...GATES, catalogue: 'off' }, ['objects']],
    ['pages alone are judged', { ...GATES, objects: 'off' }, ['pages']],
  ])('only what is judged is read: %s', async (_case, gates, expected) => {
    expect((await unread(gates, refusing)).map(({ source }) => source)).toEqual(expected);
  });
});
