import { describe, expect, it } from '@jest/globals';
import { openBreachTeller } from '../../../activities/guard/breach-teller.js';
import { realClock } from '../../../activities/dependencies.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import { runContext } from '../run-context.js';

const said = (code: string): readonly GateVerdict[] => [
  { gate: 'oneOwner', hardness: 'hard', verdict: 'fail', detail: 'two', code },
];

/** A teller whose signals fail while `isAway`, with what arrived and what was warned of. */
function opened() {
  const server = { isAway: false, nowMs: 0 };
  const [told, warnings]: [string[], string[]] = [[], []];
  const { tell } = openBreachTeller(
    {
      clock: { ...realClock, nowMs: () => server.nowMs },
      log: { info: () => undefined, warn: (message) => void warnings.push(message) },
      announceBreach: (breaches) => {
        if (server.isAway) return Promise.reject(new Error('no connection'));
        told.push(breaches.map(({ code }) => code).join());
        return Promise.resolve();
      },
    },
    runContext(),
  );
  return { server, told, warnings, tell };
}

describe('what a guard tells its run', () => {
  it('is told when it is new, and the same set not twice within 30 s', async () => {
    const { server, told, tell } = opened();
    await tell(said('CCM3001'), true);
    await tell(said('CCM3001'), false);
    await tell(said('CCM3001'), true);
    await tell(said('CCM3002'), true);
    server.nowMs = 30_000;
    await tell(said('CCM3001'), true);
    expect(told).toEqual(['CCM3001', 'CCM3002', 'CCM3001']);
  });

  it('is told with a later round where the server was away, and warned of once', async () => {
    const { server, told, warnings, tell } = opened();
    server.isAway = true;
    await tell(said('CCM3001'), true);
    await tell(said('CCM3001'), false);
    server.isAway = false;
    await tell([], false);
    await tell(said('CCM3001'), false);
    await tell(said('CCM3001'), false);
    expect(told).toEqual(['CCM3001']);
    expect(warnings).toHaveLength(1);
  });
});
