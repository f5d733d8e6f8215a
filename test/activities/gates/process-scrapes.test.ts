import { describe, expect, it } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { queriedScrapes, scrapeManager } from '../../../activities/gates/process-scrapes.js';
import { rawSelector } from '../../../activities/gates/raw-selector.js';

const WANTED = [{ name: 'errors', type: 'counter' as const }];
const ASKED = { node: 'cp-1', manager: 'kcm' as const, wanted: WANTED };
const PAGE = 'process_start_time_seconds 1.79e+09\nerrors 3\n';

const scraped = (metrics: () => Promise<string | null>) =>
  scrapeManager({ metrics }, ASKED, { now: () => 1_790_000_100_000 });

describe('metrics of a manager on its node', () => {
  it('are those of its process, at the time at which they were asked for', async () => {
    expect(await scraped(() => Promise.resolve(PAGE))).toMatchObject({
      value: {
        place: 'kcm on cp-1',
        startedAtMs: 1_790_000_000_000,
        scrapedAtMs: 1_790_000_100_000,
      },
    });
  });

  it.each([
    ['no process listens', () => Promise.resolve(null), 'no process serves metrics'],
    ['the page is cut off', () => Promise.resolve(PAGE.slice(0, -1)), 'ends within a line'],
    ['they are refused', () => Promise.reject(failure('Forbidden', 'not for you')), 'not for you'],
  ])('are unmeasured where %s', async (_name, metrics, why) => {
    expect(await scraped(metrics)).toEqual({
      kind: 'unmeasured',
      why: expect.stringContaining(why),
    });
  });

  it('end with the reason of a caller that gives up', async () => {
    const reason = new Error('cancelled');
    await expect(scraped(() => Promise.reject(reason))).rejects.toBe(reason);
  });
});

describe('scrapes that a server made', () => {
  it('are refused where the answer is calculated: it has lost them', async () => {
    const answer = { kind: 'calculated', series: [], infos: [], serverTimeMs: null } as const;
    const batcher = { raw: () => Promise.resolve(answer), own: () => Promise.resolve(answer) };
    const asked = { wanted: WANTED, match: {}, pastMs: 1 };
    expect(await queriedScrapes(batcher, asked, new AbortController().signal)).toMatchObject({
      why: 'the answer is calculated, and no scrapes',
    });
  });

  it('are selected by the names of metrics and the labels of clusters, each taken literally', () => {
    expect(
      rawSelector(['b', 'a'], 1000.5, [{ cluster: 'a.b"\n', zone: 'x' }, { cluster: 'c|d' }]),
    ).toBe(String.raw`{__name__=~"a|b",cluster=~"a\\.b\"\n|c\\|d",zone=~"|x"}[1001ms]`);
  });
});
