import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { quietScope } from '../../activities/dependencies.js';
import { keepHeartbeat } from '../../activities/index.js';

const HEARTBEAT_MS = 3000;

describe('an activity that is kept alive', () => {
  let beats: unknown[] = [];
  beforeEach(() => {
    jest.useFakeTimers();
    beats = [];
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const kept = (lastHeartbeat?: unknown) =>
    keepHeartbeat(
      { ...quietScope(), lastHeartbeat, heartbeat: (details) => void beats.push(details) },
      HEARTBEAT_MS,
    );

  it("an activity that is kept alive repeats its last heartbeat, or the previous attempt's until it has one, until it ends", () => {
    const { scope, stop } = kept('before');
    jest.advanceTimersByTime(1000);
    scope.heartbeat('now');
    jest.advanceTimersByTime(2000);
    expect(beats).toEqual(['before', 'now', 'now', 'now']);
    stop();
    jest.advanceTimersByTime(5000);
    expect(beats).toHaveLength(4);
  });

  it('an activity that heartbeats by itself repeats nothing', () => {
    const { scope, stop } = kept();
    for (let count = 0; count < 10; count += 1) {
      jest.advanceTimersByTime(900);
      scope.heartbeat(count);
    }
    expect(beats).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    stop();
  });
});
