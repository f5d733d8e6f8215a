import { describe, expect, it } from '@jest/globals';
import { createVirtualClock } from '../../../../testbed/simulator/clock/virtual-clock.js';
import { WorkQueue } from '../../../../testbed/simulator/metrics/work-queue.js';

const BACK_OFF_MS = { first: 5000, longest: 300_000 };

describe('a work queue', () => {
  it('the delay of a failed key doubles from 5 s to 300 s, and a success begins again', () => {
    const clock = createVirtualClock();
    const treatedMs: number[] = [];
    let fails = true;
    const queue = new WorkQueue({
      ...{ timers: clock, backOffMs: BACK_OFF_MS },
      treat: (_, done) => {
        treatedMs.push(clock.nowMs());
        done(fails);
      },
    });
    queue.add('a');
    clock.advanceBy(2_000_000);
    const gaps = (): readonly number[] =>
      treatedMs.slice(1).map((atMs, index) => (atMs - (treatedMs[index] ?? 0)) / 1000);
    expect(gaps().slice(0, 9)).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
    expect(queue.retries).toBe(treatedMs.length);
    fails = false;
    clock.advanceBy(300_000);
    fails = true;
    treatedMs.length = 0;
    queue.add('a');
    clock.advanceBy(16_000);
    expect(gaps()).toEqual([5, 10]);
  });

  it('a key waits once however often it is added, and is treated again when it is added meanwhile', () => {
    const clock = createVirtualClock();
    const ends: (() => void)[] = [];
    const queue = new WorkQueue({
      ...{ timers: clock, backOffMs: BACK_OFF_MS },
      treat: (_, done) => {
        ends.push(() => {
          done(false);
        });
      },
    });
    queue.add('a');
    queue.add('a');
    expect([queue.adds, queue.depth]).toEqual([1, 1]);
    clock.advanceBy(3000);
    queue.add('a');
    queue.add('b');
    expect([queue.adds, queue.depth, ends.length]).toEqual([3, 2, 1]);
    ends[0]?.();
    expect([queue.depth, ends.length]).toEqual([1, 2]);
    ends[1]?.();
    ends[2]?.();
    expect([queue.depth, ends.length, queue.worked.count]).toEqual([0, 3, 3]);
    expect([queue.waited.sum, queue.worked.sum]).toEqual([0, 3]);
  });

  it('work in hand is in no histogram, and its age grows until it ends', () => {
    const clock = createVirtualClock();
    let end = (): void => undefined;
    const queue = new WorkQueue({
      ...{ timers: clock, backOffMs: BACK_OFF_MS },
      treat: (_, done) => {
        end = () => {
          done(false);
        };
      },
    });
    queue.add('a');
    clock.advanceBy(90_000);
    expect(queue.unfinished(clock.nowMs())).toEqual({ total: 90, longest: 90 });
    expect(queue.worked.count).toBe(0);
    end();
    expect(queue.unfinished(clock.nowMs())).toEqual({ total: 0, longest: 0 });
    expect([queue.worked.count, queue.worked.sum]).toEqual([1, 90]);
  });
});
