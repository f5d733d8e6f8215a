import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openApiEnvironment, type ApiEnvironment } from './bare-cluster.js';
import type { Json, TestAnswer } from './https-client.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const CONTROL = '/simulator/v1';

let environment: ApiEnvironment;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'simulator-faults-'));
  environment = await openApiEnvironment();
});
afterEach(async () => {
  await environment.end();
  rmSync(folder, { recursive: true });
});

const arm = (...requests: readonly object[]): Promise<TestAnswer> =>
  environment.admin.call('POST', `${CONTROL}/faults`, { body: { requests } });
const create = (name: string): Promise<TestAnswer> =>
  environment.admin.call('POST', MAPS, { body: { metadata: { name } } });
const exists = (name: string): boolean =>
  environment.cluster.store.get({ resource: 'configmaps', namespace: 'default', name }).ok;
const journal = async (since = 0): Promise<readonly Json[]> =>
  (await environment.admin.call('GET', `${CONTROL}/journal?since=${since}`)).json.items;
const outcome = (answer: Promise<TestAnswer>): Promise<number | string> =>
  answer.then(
    ({ status }) => status,
    (error: unknown) => (error as { readonly code?: string }).code ?? 'broken',
  );
/** Polls, because the other side of a socket has no event to await. */
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('faults', () => {
  it.each<[string, number | string, boolean]>([
    ['conflict', 409, false],
    ['throttle', 429, false],
    ['serverError', 500, false],
    ['resetBefore', 'ECONNRESET', false],
    ['resetAfter', 'ECONNRESET', true],
    ['truncate', 'ECONNRESET', true],
  ])('fault %s answers %s, with effect: %s', async (fault, answer, effect) => {
    await arm({ index: 0, fault });
    expect(await outcome(create('struck'))).toBe(answer);
    expect(exists('struck')).toBe(effect);
    expect(await outcome(create('spared'))).toBe(201);
    const [first, second] = await journal();
    expect(first).toMatchObject({ index: 0, fault, mutating: true, tookEffect: effect });
    expect(second).toMatchObject({ index: 1, fault: '', code: 201, tookEffect: true });
  });

  it('fault throttle reports when to retry', async () => {
    await arm({ index: 0, fault: 'throttle' });
    const { headers, json } = await create('later');
    expect(headers['retry-after']).toBe('1');
    expect(json.details.retryAfterSeconds).toBe(1);
  });

  it('fault hang ends without effect when its time is over', async () => {
    await arm({ index: 0, fault: 'hang', holdMs: 30 });
    expect(await outcome(create('hung'))).toBe('ECONNRESET');
    expect(exists('hung')).toBe(false);
  });

  it('a fault with a time strikes every request that matches until its time is over', async () => {
    await arm({ forMs: 600_000, match: { mutating: true }, fault: 'serverError' });
    expect(await outcome(create('first'))).toBe(500);
    expect((await environment.admin.call('GET', MAPS)).status).toBe(200);
    expect(await outcome(create('second'))).toBe(500);
    await arm({ forMs: 1, fault: 'serverError' });
    await until(async () => (await environment.admin.call('GET', MAPS)).status === 200);
    expect(await outcome(create('third'))).toBe(201);
  });

  it('fault staleRead answers from before the last change', async () => {
    await create('old');
    const patch = { contentType: 'application/merge-patch+json', body: { data: { a: '1' } } };
    await environment.admin.call('PATCH', `${MAPS}/old`, patch);
    await create('newest');
    await arm({ index: 0, fault: 'staleRead' }, { index: 1, fault: 'staleRead' });
    const read = await environment.admin.call('GET', `${MAPS}/old`);
    const list = await environment.admin.call('GET', MAPS);
    const fresh = await environment.admin.call('GET', `${MAPS}/old`);
    expect(read.json.data).toBeUndefined();
    expect(list.json.items.map((item: Json) => item.metadata.name)).toEqual(['old']);
    expect(fresh.json.data).toEqual({ a: '1' });
  });

  it('a fault strikes the nth request that matches, whichever client sends it', async () => {
    await arm({ match: { verb: 'create', pathIncludes: 'configmaps', nth: 2 }, fault: 'conflict' });
    const codes = [await outcome(create('one')), 0, 0, 0];
    codes[1] = await outcome(environment.admin.call('GET', MAPS));
    codes[2] = await outcome(create('two'));
    codes[3] = await outcome(create('three'));
    expect(codes).toEqual([201, 200, 409, 201]);
    const { json } = await environment.admin.call('GET', `${CONTROL}/faults`);
    expect(json).toMatchObject({
      seen: 4,
      parked: [],
      armed: [{ fault: 'conflict', struck: true }],
    });
  });

  it('faults distinguish requests by what they ask for', async () => {
    const asking = (name: string): string => `${MAPS}?fieldSelector=metadata.name%3D${name}`;
    await arm({ match: { pathIncludes: 'name%3Dtwo' }, fault: 'serverError' });
    expect(await outcome(environment.admin.call('GET', asking('one')))).toBe(200);
    expect(await outcome(environment.admin.call('GET', asking('two')))).toBe(500);
  });

  it('a fault cuts a watch', async () => {
    await arm({ match: { verb: 'watch' }, fault: 'truncate' });
    await expect(environment.admin.watch(`${MAPS}?watch=true`)).rejects.toThrow();
  });

  it.each([[{ fault: 'conflict' }], [{ index: 0, fault: 'unheard' }], ['text']])(
    'an incomplete plan of faults is refused: %j',
    async (request) => {
      const { status } = await environment.admin.call('POST', `${CONTROL}/faults`, {
        body: { requests: [request] },
      });
      expect(status).toBe(400);
    },
  );
});

describe('parking', () => {
  const parked = async (): Promise<readonly Json[]> =>
    (await environment.admin.call('GET', `${CONTROL}/faults`)).json.parked;
  const isParked = async (): Promise<boolean> => (await parked()).length > 0;

  it.each([
    ['pauseBefore', false],
    ['pauseAfter', true],
  ])('parking %s holds a request until it is released', async (fault, effect) => {
    const signalFile = join(folder, 'parked');
    await arm({ index: 0, fault, signalFile });
    const answer = create('held');
    await until(() => existsSync(signalFile));
    expect(await parked()).toMatchObject([{ index: 0, fault, verb: 'create' }]);
    expect(JSON.parse(readFileSync(signalFile, 'utf8'))).toMatchObject({ fault });
    expect(exists('held')).toBe(effect);
    await environment.admin.call('POST', `${CONTROL}/faults/release`);
    expect((await answer).status).toBe(201);
  });

  it.each([
    ['pauseBefore', false],
    ['pauseAfter', true],
  ])('a request parked by %s whose client dies takes effect: %s', async (fault, effect) => {
    await arm({ index: 0, fault });
    const socketGone = new AbortController();
    const lost = outcome(
      environment.admin.call('POST', MAPS, {
        body: { metadata: { name: 'lost' } },
        signal: socketGone.signal,
      }),
    );
    await until(isParked);
    socketGone.abort();
    await lost;
    await until(async () => !(await isParked()));
    expect(exists('lost')).toBe(effect);
    expect(await journal()).toMatchObject([{ fault, code: 0, tookEffect: effect }]);
  });
});

describe('control', () => {
  it('control requests are not counted themselves', async () => {
    await environment.admin.call('GET', `${CONTROL}/truth`);
    await create('counted');
    const [entry, ...more] = await journal();
    expect(more).toEqual([]);
    expect(entry).toEqual({
      index: 0,
      atMs: expect.any(Number),
      user: 'admin',
      userAgent: 'test-client/1.0',
      verb: 'create',
      resource: 'configmaps',
      name: 'counted',
      path: MAPS,
      mutating: true,
      code: 201,
      fault: '',
      tookEffect: true,
    });
  });

  it('the journal records each request with its outcome', async () => {
    await environment.admin.call('POST', `${MAPS}?dryRun=All`, {
      body: { metadata: { name: 'dry' } },
    });
    await environment.admin.call('PATCH', '/api/v1/nodes/cp-1', {
      contentType: 'application/merge-patch+json',
      body: {},
    });
    await environment.admin.call('POST', '/node-access/v2/nodes/cp-1/kill', {
      body: { pid: 813, startTicks: 150, epoch: 1 },
    });
    expect(
      (await journal()).map(({ verb, resource, mutating, tookEffect }) => [
        verb,
        resource,
        mutating,
        tookEffect,
      ]),
    ).toEqual([
      ['create', 'configmaps', false, false],
      ['patch', 'nodes', true, false],
      ['create', 'node-access/kill', true, true],
    ]);
    expect(await journal(2)).toHaveLength(1);
  });

  it('the ground truth is reported with its speed', async () => {
    const { json } = await environment.admin.call('GET', `${CONTROL}/truth`);
    expect(json).toMatchObject({ speed: 1, cloudCalls: 0, controllers: { service: { moves: 0 } } });
  });

  it.each<[object, number]>([
    [{ kind: 'crashProcess', node: 'cp-1', manager: 'kcm' }, 200],
    [{ kind: 'crashProcess', node: 'cp-9', manager: 'kcm' }, 404],
    [{ kind: 'crashProcess', node: 'cp-1' }, 400],
    [{ kind: 'crashNode', node: 'cp-1' }, 404],
    [{ kind: 'deleteServiceLoadBalancer', service: 'default/web' }, 200],
    [{ kind: 'constructor', node: 'cp-1' }, 400],
  ])('event %j is answered with %i', async (body, code) => {
    expect((await environment.admin.call('POST', `${CONTROL}/events`, { body })).status).toBe(code);
  });
});
