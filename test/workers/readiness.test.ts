import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NativeConnection } from '@temporalio/worker';
import { type Health, serveHealth } from '../../workers/health-server.js';
import { createReadiness, workerNeeds } from '../../workers/readiness.js';

const SILENCE = new Promise<never>(() => undefined);

let now: number;
let told: unknown[];
beforeEach(() => {
  now = 1_000_000;
  told = [];
});
const log = {
  info: (...words: unknown[]) => void told.push(words),
  warn: (...words: unknown[]) => void told.push(words),
};

/** What the server, the inventory and the access policy answer. */
interface Around {
  temporal: () => Promise<unknown>;
  inventory: () => Promise<unknown>;
  policy: (() => Promise<never>) | null;
}

let asked: unknown[];
const readiness = (around: Around) => {
  asked = [];
  const connection = {
    withDeadline: (_by: number, ask: () => Promise<unknown>) => ask(),
    workflowService: {
      describeNamespace: (request: unknown) => {
        asked.push(request);
        return around.temporal();
      },
    },
  } as unknown as NativeConnection;
  const needs = workerNeeds({
    ...{ connection, namespace: 'moves', inventory: { read: () => around.inventory() } },
    authority: around.policy === null ? null : { policy: () => (around.policy ?? fine)() },
  });
  return createReadiness(needs, { nowMs: () => now, log, withinMs: 50 });
};

const fine = (): Promise<never> => Promise.resolve() as Promise<never>;
const wrong = (why: string) => (): Promise<never> => Promise.reject(new Error(why));
const TEMPORAL = 'temporal: does not answer, or refuses this worker';

describe('a worker is ready', () => {
  it('while the server lets it in, and its files can be used', async () => {
    const around: Around = { temporal: fine, inventory: fine, policy: fine };
    const missing = readiness(around);
    expect(await missing()).toEqual([]);
    expect(asked).toEqual([{ namespace: 'moves' }]);
    for (const [name, why] of [
      ['temporal', TEMPORAL],
      ['inventory', 'inventory: cannot be used'],
      ['policy', 'access policy: cannot be used'],
    ] as const) {
      around[name] = wrong('the secret of it');
      now += 1_001;
      expect(await missing()).toEqual([why]);
      around[name] = fine;
      now += 1_001;
      expect(await missing()).toEqual([]);
    }
    expect(told).toHaveLength(6);
    expect(told[0]).toEqual([{ missing: TEMPORAL, why: 'the secret of it' }, 'not ready']);
  });

  it('not while the server does not answer, whatever it said before', async () => {
    const around: Around = { temporal: fine, inventory: fine, policy: null };
    const missing = readiness(around);
    expect(await missing()).toEqual([]);
    around.temporal = () => SILENCE;
    now += 1_001;
    expect(await missing()).toEqual([TEMPORAL]);
  });

  it('while a file that has changed is read, and not once that takes too long', async () => {
    const around: Around = { temporal: fine, inventory: fine, policy: fine };
    const missing = readiness(around);
    expect(await missing()).toEqual([]);
    around.policy = () => SILENCE;
    now += 5_000;
    expect(await missing()).toEqual([]);
    now += 10_001;
    expect(await missing()).toEqual(['access policy: cannot be used']);
  });

  it('not before a file was read for the first time', async () => {
    const missing = readiness({ temporal: fine, inventory: () => SILENCE, policy: null });
    expect(await missing()).toEqual(['inventory: cannot be used']);
  });

  it('as it was a moment ago, where it is asked often', async () => {
    const missing = readiness({ temporal: fine, inventory: fine, policy: null });
    for (let asking = 0; asking < 5; asking += 1) expect(await missing()).toEqual([]);
    expect(asked).toHaveLength(1);
  });
});

describe('its /readyz', () => {
  let health: Health | undefined;
  afterEach(() => health?.close());

  it('says what is missing, and nothing of why', async () => {
    const missing = readiness({ temporal: wrong('secret'), inventory: fine, policy: null });
    health = await serveHealth({ host: '127.0.0.1', port: 0 }, missing);
    const answer = await fetch(`http://${health.address}/readyz`);
    expect([answer.status, await answer.text()]).toEqual([503, `${TEMPORAL}\n`]);
    expect((await fetch(`http://${health.address}/livez`)).status).toBe(200);
  });
});
