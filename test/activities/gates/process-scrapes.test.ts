import { describe, expect, it } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { scrapeManager } from '../../../activities/gates/process-scrapes.js';

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
