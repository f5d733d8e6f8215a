import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  createMetricBatcher,
  type MetricBatcher,
} from '../../../activities/gates/metric-batcher.js';
import type { ClusterMatch } from '../../../domain/gates/own/series-selector.js';
import { failure, failureTypeOf } from '../../../activities/failures.js';
import type { JoinedQuery, MetricAnswer, MetricQuery } from '../../../activities/ports.js';

const { signal } = new AbortController();
const request = (cluster: string, key = 'errors'): readonly [JoinedQuery, ClusterMatch] => [
  {
    ...{ key, mostTogether: 50 },
    promql: (clusters) => `${key} of ${clusters.map((each) => each['cluster']).join('|')}`,
  },
  { cluster },
];

let sent: string[];
let turns: (() => void)[];
let answer: (query: MetricQuery) => Promise<MetricAnswer>;
let batcher: MetricBatcher;
beforeEach(() => {
  sent = [];
  turns = [];
  answer = () => Promise.resolve(of('prod-1', 'prod-2'));
  const query = (asked: MetricQuery): Promise<MetricAnswer> => {
    sent.push(asked.promql);
    return answer(asked);
  };
  const pause = (ms: number): Promise<void> => {
    expect(ms).toBe(200);
    return new Promise((resolve) => turns.push(resolve));
  };
  batcher = createMetricBatcher({ query }, { pause });
});

function of(...clusters: readonly string[]): MetricAnswer {
  const series = clusters.map((cluster) => ({
    labels: new Map([['cluster', cluster]]),
    points: [],
  }));
  return { kind: 'raw', series, infos: [], serverTimeMs: null };
}

/** Time passes until the next query may be sent. */
async function turn(): Promise<void> {
  turns.shift()?.();
  await new Promise(setImmediate);
}

const clustersIn = ({ series }: MetricAnswer): unknown =>
  series.map(({ labels }) => labels.get('cluster'));

describe('queries of many clusters at one server', () => {
  it('for the same metrics are sent as one, and each cluster gets its own series', async () => {
    const answers = ['prod-1', 'prod-2', 'prod-1'].map((each) =>
      batcher.joined(...request(each), signal),
    );
    await turn();
    expect((await Promise.all(answers)).map(clustersIn)).toEqual([
      ['prod-1'],
      ['prod-2'],
      ['prod-1'],
    ]);
    expect(sent).toEqual(['errors of prod-1|prod-2|prod-1']);
  });

  it('for other metrics wait for their turn, one after the other', async () => {
    void batcher.joined(...request('prod-1'), signal);
    void batcher.joined(...request('prod-1', 'depth'), signal);
    expect([sent.length, turns.length]).toEqual([0, 1]);
    await turn();
    expect([sent.length, turns.length]).toEqual([1, 1]);
    await turn();
    expect([sent.length, turns.length]).toEqual([2, 0]);
  });

  it('that come once an equal one was sent are sent again', async () => {
    void batcher.joined(...request('prod-1'), signal);
    await turn();
    void batcher.joined(...request('prod-2'), signal);
    await turn();
    expect(sent).toEqual(['errors of prod-1', 'errors of prod-2']);
  });

  it('of operators are sent verbatim, once for all', async () => {
    const own = { promql: 'sum by (cluster) (x)' };
    const answers = ['prod-1', 'prod-3'].map((cluster) => batcher.own(own, { cluster }, signal));
    await turn();
    expect((await Promise.all(answers)).map(clustersIn)).toEqual([['prod-1'], []]);
    expect(sent).toEqual([own.promql]);
  });

  it('of other times or labels are others', async () => {
    const [query] = request('prod-1');
    const over = { startMs: 0, endMs: 1, stepMs: 1 };
    void batcher.joined(query, { cluster: 'prod-1' }, signal);
    void batcher.joined({ ...query, over }, { cluster: 'prod-2' }, signal);
    void batcher.joined(query, { cluster: 'prod-3', zone: 'a' }, signal);
    await turn();
    await turn();
    await turn();
    expect(sent).toEqual(['errors of prod-1', 'errors of prod-2', 'errors of prod-3']);
  });

  it('share no more than so many clusters', async () => {
    for (let index = 0; index < 51; index += 1)
      void batcher.joined(...request(`c${index}`), signal);
    await turn();
    await turn();
    expect(sent.map((promql) => promql.split('|').length)).toEqual([50, 1]);
  });

  it('share the failure of their query', async () => {
    answer = () => Promise.reject(failure('Unavailable', 'gone'));
    const answers = ['prod-1', 'prod-2'].map((each) => batcher.joined(...request(each), signal));
    const failed = Promise.allSettled(answers);
    await turn();
    expect((await failed).map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
      'ApplicationFailure: gone',
      'ApplicationFailure: gone',
    ]);
  });

  describe('that cannot be sent', () => {
    /** Callers that are told nothing wait for ever. */
    const FOREVER_MS = 5_000;
    const pauses: (() => Promise<void>)[] = [];
    const failing = (pause: () => Promise<void>, next = () => Promise.resolve()): MetricBatcher => {
      pauses.splice(0, pauses.length, pause);
      return createMetricBatcher(
        { query: (asked) => answer(asked) },
        { pause: () => (pauses.shift() ?? next)() },
      );
    };
    const reasons = async (answers: readonly Promise<MetricAnswer>[]): Promise<unknown> =>
      (await Promise.allSettled(answers)).map((one) =>
        one.status === 'rejected' ? String(one.reason) : clustersIn(one.value),
      );

    it(
      'tell all that wait why, and the next one is sent again',
      async () => {
        const broken = failing(() => Promise.reject(new Error('no clock')));
        const waiting = [request('prod-1'), request('prod-1', 'depth')];
        expect(await reasons(waiting.map((each) => broken.joined(...each, signal)))).toEqual([
          'Error: no clock',
          'Error: no clock',
        ]);
        expect(await reasons([broken.joined(...request('prod-1'), signal)])).toEqual([['prod-1']]);
      },
      FOREVER_MS,
    );

    it(
      'tell why where the pause throws, whatever it throws',
      async () => {
        const broken = failing(() => {
          // eslint-disable-next-line @typescript-eslint/only-throw-error -- a clock of others may
          throw 'no clock';
        });
        expect(await reasons([broken.joined(...request('prod-1'), signal)])).toEqual([
          'Error: no clock',
        ]);
        expect(await reasons([broken.joined(...request('prod-1'), signal)])).toEqual([['prod-1']]);
      },
      FOREVER_MS,
    );

    it('tell their own callers alone where the source throws', async () => {
      const broken = failing(() => Promise.resolve());
      const answers = ['errors', 'depth'].map((name) =>
        broken.joined(...request('prod-1', name), signal),
      );
      answer = ({ promql }) => {
        if (promql.includes('errors')) throw new Error('no such address');
        return Promise.resolve(of('prod-1'));
      };
      expect(await reasons(answers)).toEqual(['Error: no such address', ['prod-1']]);
    });
  });

  it('are taken from no one by a caller that gives up', async () => {
    const controller = new AbortController();
    const given = batcher
      .joined(...request('prod-1'), controller.signal)
      .catch((error: unknown) => error);
    const kept = batcher.joined(...request('prod-2'), signal);
    controller.abort(new Error('cancelled'));
    await turn();
    expect(String(await given)).toBe('Error: cancelled');
    expect(clustersIn(await kept)).toEqual(['prod-2']);
  });

  it('are refused when too many wait', async () => {
    for (let index = 0; index < 150; index += 1)
      void batcher.joined(...request('a', `m${index}`), signal);
    const error = await batcher
      .joined(...request('a', 'other'), signal)
      .catch((found: unknown) => found);
    expect(failureTypeOf(error)).toBe('Throttled');
    void batcher.joined(...request('b', 'm149'), signal);
  });
});
