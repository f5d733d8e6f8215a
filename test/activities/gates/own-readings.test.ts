import { describe, expect, it } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { readOwnCounts } from '../../../activities/gates/own-readings.js';
import type { ClusterMetrics, JoinedQuery, MetricAnswer } from '../../../activities/ports.js';
import type { TimeSeries } from '../../../domain/gates/samples/time-series.js';
import { answered, STARTED_AT } from '../../domain/gates/own/given-counts.js';

const NOW_MS = (STARTED_AT + 60) * 1000;
const COUNTED = answered(NOW_MS, { total: 20, picked: 2, scrapedAt: STARTED_AT + 60 });

describe('the first reading of a gate that counts', () => {
  const read = async (series: readonly TimeSeries[], past: () => readonly TimeSeries[]) => {
    const asked: JoinedQuery[] = [];
    const told: string[] = [];
    const answer = (of: readonly TimeSeries[]): MetricAnswer => ({
      ...{ kind: 'calculated', series: of, infos: [], serverTimeMs: null },
    });
    const metrics: ClusterMetrics = {
      ...{ host: 'prometheus', labels: ['cluster'], staleAfterMs: 60_000 },
      own: () => Promise.reject(new Error('no gauge is asked for')),
      joined: async (query) => {
        asked.push(query);
        return Promise.resolve(answer(query.over === undefined ? series : past()));
      },
    };
    const reading = await readOwnCounts(metrics, {
      gate: { name: 'errors', kind: 'ratio', bad: 'errors', total: 'calls', limit: 0.1 },
      ...{ signal: new AbortController().signal, nowMs: NOW_MS, isFirst: true },
      onNoPast: (why) => told.push(why),
    });
    return { ...reading, told, overs: asked.map(({ over }) => over !== undefined) };
  };

  it('asks for what was usual once something can be counted', async () => {
    expect(await read([], () => [])).toMatchObject({ overs: [false], past: null });
    const moments = [0, 60].flatMap((second) =>
      answered(NOW_MS + 1000 * second, {
        ...{ total: 10 * second, picked: 0, scrapedAt: STARTED_AT + 60 + second },
      }),
    );
    expect(await read(COUNTED, () => moments)).toMatchObject({
      ...{ overs: [false, true], past: { bad: 0, total: 600 } },
    });
  });

  it('counts without it where the server cannot tell, and says so', async () => {
    const away = (): never => {
      throw failure('Unavailable', 'too many samples');
    };
    const { counts, past, told } = await read(COUNTED, away);
    expect([counts.kind, past, told]).toEqual(['measured', null, ['too many samples']]);
  });
});
