import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getFence } from '../../../activities/fence/read-fence.js';
import { renewFence } from '../../../activities/guard/fence-watch.js';
import { openEnvironment, type Environment } from '../environment.js';
import { TIMINGS } from '../run-context.js';

const HOUR_MS = 3_600_000;

describe('a fence that was renewed by a server whose clock is ahead', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment();
    environment.standIn.present = false;
    await environment.fence();
  });
  afterEach(() => environment.close());

  /** One round of a guard, answered by a server whose clock is so much ahead; whether it renewed, and by which time. */
  const round = async (aheadMs: number, isFirst = false): Promise<readonly [boolean, number]> => {
    const { api } = environment.ports;
    const { fence } = await getFence(api);
    if (fence === null) throw new Error('no fence');
    const serverTimeMs = environment.clock.nowMs() + aheadMs;
    const breach = { changed: false, text: '' };
    const renewal = { serverTimeMs, breach, metrics: [], isFirst };
    const renewed = await renewFence(api, { timings: TIMINGS }, fence, renewal);
    const now = (await getFence(api)).fence?.renewedAtMs ?? NaN;
    return [renewed, now - environment.clock.nowMs()];
  };

  it('is renewed by the next answer of a correct one, not only after an hour', async () => {
    expect(await round(HOUR_MS, true)).toEqual([true, HOUR_MS]);
    expect(await round(0)).toEqual([true, 0]);
  });

  it('is renewed as seldom as before where the difference is small', async () => {
    const aheadMs = TIMINGS.guardMs / 2;
    expect(await round(aheadMs, true)).toEqual([true, aheadMs]);
    expect(await round(0)).toEqual([false, aheadMs]);
    expect(await round(-1)).toEqual([true, -1]);
  });
});
