import { expect, it } from '@jest/globals';
import {
  createConnectionPool,
  type ConnectionPool,
} from '../../../../activities/adapters/ssh/connection-pool.js';
import { createSlots } from '../../../../activities/adapters/ssh/ssh-connection.js';
import type { SshConnection } from '../../../../activities/adapters/ssh/ssh-connection.js';
import { eventually } from '../../../contract/eventually.js';
import { failureOf } from '../http/tls-stub.js';

interface Fake extends SshConnection {
  lose(): void;
}

/** A connection that can only open and close; real ones are tested in the other files here. */
function fake(): Fake {
  let alive = true;
  let listeners: (() => void)[] = [];
  const end = (): void => {
    alive = false;
    for (const listener of listeners) listener();
    listeners = [];
  };
  return {
    run: () => Promise.reject(new Error('not here')),
    forward: () => Promise.reject(new Error('not here')),
    alive: () => alive,
    whenClosed: (listener) => listeners.push(listener),
    close: end,
    lose: end,
  };
}

const NEVER = new AbortController().signal;
const LIMITS = { connections: 2, idleMs: 60_000, maxAgeMs: 60_000 };

function opener(): { open: () => Promise<Fake>; opened: Fake[] } {
  const opened: Fake[] = [];
  return {
    opened,
    open: () => {
      const connection = fake();
      opened.push(connection);
      return Promise.resolve(connection);
    },
  };
}

const nothing = (): Promise<void> => Promise.resolve();

async function using(pool: ConnectionPool, node: string, open: () => Promise<Fake>): Promise<void> {
  await pool.use(node, NEVER, open, nothing);
}

it('the pool keeps one connection for each node, and opens another when it was lost', async () => {
  const pool = createConnectionPool(LIMITS);
  const { open, opened } = opener();
  await Promise.all([using(pool, 'a', open), using(pool, 'a', open)]);
  await using(pool, 'a', open);
  expect(opened).toHaveLength(1);
  opened[0]?.lose();
  await using(pool, 'a', open);
  expect(opened).toHaveLength(2);
  await pool.close();
  expect(opened.map((one) => one.alive())).toEqual([false, false]);
});

it('the pool gives the place of an unused connection to another node, and makes it wait for a used one', async () => {
  const pool = createConnectionPool(LIMITS);
  const { open, opened } = opener();
  let finish = (): void => undefined;
  const busy = new Promise<void>((resolve) => (finish = resolve));
  const first = pool.use('a', NEVER, open, () => busy);
  await using(pool, 'b', open);
  await using(pool, 'c', open);
  expect(opened.map((one) => one.alive())).toEqual([true, false, true]);
  const second = pool.use('c', NEVER, open, () => busy);
  const waiting = using(pool, 'd', open);
  await new Promise((resolve) => setImmediate(resolve));
  expect(opened).toHaveLength(3);
  opened[2]?.lose();
  await waiting;
  expect(opened).toHaveLength(4);
  finish();
  await Promise.all([first, second]);
  await pool.close();
});

it("the pool asks again for a node's address when its connection is old", async () => {
  const pool = createConnectionPool({ ...LIMITS, maxAgeMs: -1 });
  const { open, opened } = opener();
  await using(pool, 'a', open);
  await using(pool, 'a', open);
  expect(opened.map((one) => one.alive())).toEqual([false, true]);
  await pool.close();
});

it('the pool closes connections that are no longer used', async () => {
  const pool = createConnectionPool({ ...LIMITS, idleMs: 1 });
  const { open, opened } = opener();
  await using(pool, 'a', open);
  await eventually(10_000, async () => (opened[0]?.alive() === false ? true : null));
  await pool.close();
});

it('the pool fails no caller because another waiting caller has left', async () => {
  const pool = createConnectionPool(LIMITS);
  let arrive = (_connection: Fake): void => undefined;
  const opening = new Promise<Fake>((resolve) => (arrive = resolve));
  const controller = new AbortController();
  const left = failureOf(pool.use('a', controller.signal, () => opening, nothing));
  const stayed = pool.use(
    'a',
    NEVER,
    () => opening,
    () => Promise.resolve('done'),
  );
  controller.abort(new Error('left'));
  expect(String(await left)).toContain('left');
  arrive(fake());
  expect(await stayed).toBe('done');
  await pool.close();
});

it('the pool retries after a failed attempt to connect', async () => {
  const pool = createConnectionPool(LIMITS);
  const { open } = opener();
  const refused = (): Promise<never> => Promise.reject(new Error('refused'));
  for (const _ of [1, 2, 3]) {
    expect(String(await failureOf(pool.use('a', NEVER, refused, nothing)))).toContain('refused');
  }
  await using(pool, 'a', open);
  await pool.close();
});

it('the pool keeps no place for a caller who stopped waiting', async () => {
  const slots = createSlots(1);
  const giveBack = await slots.take(NEVER);
  const controller = new AbortController();
  const left = failureOf(slots.take(controller.signal));
  const next = slots.take(NEVER);
  controller.abort(new Error('left'));
  expect(String(await left)).toContain('left');
  giveBack();
  giveBack();
  (await next)();
  (await slots.take(NEVER))();
});
