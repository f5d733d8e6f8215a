import { describe, expect, it } from '@jest/globals';
import {
  boundOfShare,
  countedSince,
  readHistogram,
} from '../../../../testbed/bench/simulated/gap-histogram.js';
import { liveHeap } from '../../../../testbed/bench/simulated/live-heap.js';
import { establishedTo } from '../../../../testbed/bench/simulated/open-sockets.js';

const PAGE = `# TYPE gap_seconds histogram
gap_seconds_bucket{region="a",le="1"} 90
gap_seconds_bucket{region="a",le="1.5"} 98
gap_seconds_bucket{region="a",le="+Inf"} 99
gap_seconds_bucket{le="1"} 0
gap_seconds_bucket{le="1.5"} 1
gap_seconds_bucket{le="+Inf"} 1
gap_seconds_sum 99.5
other_gap_seconds_bucket{le="1"} 7
`;

describe('a histogram of the metrics page', () => {
  const histogram = readHistogram(PAGE, 'gap_seconds');

  it('all its label sets count together', () => {
    expect(histogram.bounds).toEqual([
      { atMost: 1, count: 90 },
      { atMost: 1.5, count: 99 },
      { atMost: Infinity, count: 100 },
    ]);
  });

  it('a share lies at the upper bound of its bucket', () => {
    expect(boundOfShare(histogram, 0.5)).toBe(1);
    expect(boundOfShare(histogram, 0.99)).toBe(1.5);
  });

  it('a share above the largest bound, and one of no values, is unknown', () => {
    expect(boundOfShare(histogram, 0.995)).toBeNull();
    expect(boundOfShare({ bounds: [] }, 0.99)).toBeNull();
    expect(boundOfShare(countedSince(histogram, histogram), 0.99)).toBeNull();
  });

  it('what was counted before does not count', () => {
    const before = readHistogram('gap_seconds_bucket{le="1"} 89\n', 'gap_seconds');
    expect(countedSince(before, histogram).bounds[0]).toEqual({ atMost: 1, count: 1 });
  });
});

it('only established connections of the process to that port are counted', () => {
  const rows = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:A1B2 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 11 1',
    '   1: 0100007F:A1B3 0100007F:1F90 06 00000000:00000000 00:00000000 00000000     0        0 12 1',
    '   2: 0100007F:A1B4 0100007F:1F91 01 00000000:00000000 00:00000000 00000000     0        0 13 1',
    '   3: 0100007F:A1B5 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 99 1',
    '   4: 0100007F:1F90 0100007F:A1B2 01 00000000:00000000 00:00000000 00000000     0        0 14 1',
  ];
  const links = ['socket:[11]', 'socket:[12]', 'socket:[13]', 'socket:[14]', '/dev/null'];
  expect(establishedTo(8080, rows.join('\n'), links)).toBe(1);
});

it('the live heap of a process is what survives a collection of garbage', async () => {
  const kept = Array.from({ length: 200_000 }, (_, index) => ({ index }));
  const bytes = await liveHeap();
  expect(kept).toHaveLength(200_000);
  expect(bytes).toBeGreaterThan(3_000_000);
});
