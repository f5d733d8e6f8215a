import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createDraws } from '../../../../testbed/simulator/clock/draws.js';
import { createRealClock } from '../../../../testbed/simulator/clock/real-clock.js';
import {
  LONGEST_JUMP_MS,
  NOTED_EVERY_MS,
  SteadyTime,
} from '../../../../testbed/simulator/clock/steady-time.js';
import { createVirtualClock } from '../../../../testbed/simulator/clock/virtual-clock.js';

describe('the virtual clock', () => {
  it('the virtual clock runs calls by due time, equal ones in the order of creation, cancelled ones never', () => {
    const plan = fc.array(fc.record({ delay: fc.nat(50), cancel: fc.boolean() }), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(plan, (calls) => {
        const clock = createVirtualClock(0);
        const ran: number[] = [];
        const cancels = calls.map(({ delay }, index) =>
          clock.schedule(delay, () => ran.push(index)),
        );
        calls.forEach(({ cancel }, index) => {
          if (cancel) cancels[index]?.();
        });
        clock.advanceBy(50);
        const expected = calls
          .map(({ delay, cancel }, index) => ({ delay, cancel, index }))
          .filter(({ cancel }) => !cancel)
          .sort((a, b) => a.delay - b.delay || a.index - b.index)
          .map(({ index }) => index);
        expect(ran).toEqual(expected);
        expect(clock.nowMs()).toBe(50);
      }),
    );
  });

  it('the virtual clock stops at the moment when the condition holds, or at the limit', () => {
    const clock = createVirtualClock(0);
    let seen = 0;
    const tick = (): void => {
      seen += 1;
      clock.schedule(10, tick);
    };
    tick();
    expect([clock.advanceUntil(() => seen === 4, 1000), clock.nowMs()]).toEqual([true, 30]);
    expect([clock.advanceUntil(() => false, 25), clock.nowMs()]).toEqual([false, 55]);
  });
});

describe('the real clock', () => {
  it('the real clock runs calls in order at its speed and stops', async () => {
    const clock = createRealClock(1000);
    const ran: string[] = [];
    await new Promise<void>((resolve) => {
      // Time passes between these calls, too: schedule the early one first, or a busy machine reverses them.
      clock.schedule(1000, () => ran.push('early'));
      clock.schedule(3000, () => {
        ran.push('late');
        resolve();
      });
      clock.schedule(2000, () => ran.push('never'))();
    });
    expect(ran).toEqual(['early', 'late']);
    clock.schedule(1, () => ran.push('after the end'));
    clock.stop();
    expect(ran).toHaveLength(2);
  });
});

describe('steady time', () => {
  it('steady time passes as on the wall clock while its process runs', () => {
    let wall = 5000;
    const time = new SteadyTime(() => wall);
    for (let noted = 0; noted < 40; noted += 1) {
      wall += NOTED_EVERY_MS;
      time.note();
    }
    wall += 7;
    expect(time.nowMs()).toBe(40 * NOTED_EVERY_MS + 7);
  });

  it('steady time pauses while its process waits for a processor, and never goes backwards', () => {
    let wall = 0;
    const time = new SteadyTime(() => wall);
    wall = 10_000;
    expect(time.nowMs()).toBe(LONGEST_JUMP_MS);
    time.note();
    expect(time.nowMs()).toBe(LONGEST_JUMP_MS);
    wall += 10;
    expect(time.nowMs()).toBe(LONGEST_JUMP_MS + 10);
  });
});

describe('draws', () => {
  it('draws repeat by seed, and forks do not disturb one another', () => {
    const [one, two] = [createDraws('seed'), createDraws('seed')];
    two.fork('other').unit();
    expect([one.unit(), one.uuid(), one.fork('a').hex(12)]).toEqual([
      two.unit(),
      two.uuid(),
      two.fork('a').hex(12),
    ]);
    expect(createDraws('seed').fork('a').unit()).not.toBe(createDraws('seed').fork('b').unit());
  });

  it('draws are spread evenly', () => {
    const draws = createDraws('even');
    const buckets = new Array<number>(10).fill(0);
    for (let index = 0; index < 20_000; index += 1) {
      const bucket = Math.floor(draws.unit() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 2000)).toBeLessThan(250);
  });
});
