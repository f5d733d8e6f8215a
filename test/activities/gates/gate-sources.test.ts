import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { inspectCluster } from '../../../activities/inspection.js';
import type { ClusterPorts } from '../../../activities/ports.js';
import type { MetricGatePolicy } from '../../../domain/policy.js';
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

  it.each<readonly [string, MetricGatePolicy | undefined, readonly string[]]>([
    ['nothing is judged', { ...GATES, catalogue: 'off', objects: 'off' }, []],
    ['an older build wrote the policy', undefined, []],
    ['objects alone are judged', { ...GATES, catalogue: 'off' }, ['objects']],
    ['pages alone are judged', { ...GATES, objects: 'off' }, ['pages']],
  ])('only what is judged is read: %s', async (_case, gates, expected) => {
    expect((await unread(gates, refusing)).map(({ source }) => source)).toEqual(expected);
  });
});
