import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventMetrics } from '../../../cli/server/events/event-metrics.js';
import { createOutbox } from '../../../cli/server/events/outbox.js';
import { openEventSender, type EventSender } from '../../../cli/server/events/send-event.js';
import { tellEvents } from '../../../cli/server/events/tell-events.js';
import { startTlsStub } from '../../activities/adapters/http/tls-stub.js';
import { runBegan, type OutgoingEvent } from '../../../domain/automation/run-events.js';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly url: string;
}

let folder: string;
let keyFile: string;
let key: Buffer;
let server: Server;
let url: string;
let received: Received[];
/** What the receiver answers next; the last one for ever. Null: nothing, ever. */
let answers: (number | null)[];
const senders: EventSender[] = [];

const eventOf = (runId: string, cluster = 'prod-1'): OutgoingEvent =>
  runBegan({ workflowId: 'w', runId, cluster, fleet: '' }, 1_000);

async function writeKey(): Promise<void> {
  key = randomBytes(32);
  await writeFile(keyFile, `${key.toString('base64')}\n`, { mode: 0o600 });
}

async function senderTo(to: string): Promise<EventSender> {
  const sender = await openEventSender({
    ...{ url: to, keyFile, ca: null, source: '/ccm-migrate', clock: () => 1_700_000_000_999 },
  });
  senders.push(sender);
  return sender;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-events-'));
  keyFile = join(folder, 'events.key');
  await writeKey();
  received = [];
  answers = [204];
  server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      received.push({ headers: request.headers, body, url: request.url ?? '' });
      const status = answers.length > 1 ? answers.shift() : answers[0];
      if (typeof status !== 'number') return;
      const location = status === 302 ? { location: '/elsewhere' } : {};
      response.writeHead(status, location).end('words');
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  url = `http://127.0.0.1:${String(typeof bound === 'object' ? bound?.port : 0)}/ccm`;
});
afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const isSigned = ({ headers, body }: Received): boolean => {
  const signedText = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const mac = createHmac('sha256', key).update(signedText).digest('base64');
  return headers['webhook-signature'] === `v1,${mac}`;
};

describe('an event on its way', () => {
  it('is a CloudEvent in structured mode, signed over id, time and body', async () => {
    const event = eventOf('r-1');
    expect(await (await senderTo(url)).send(event)).toMatchObject({ kind: 'delivered' });
    const [got] = received;
    expect(got?.url).toBe('/ccm');
    expect(got?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    expect(JSON.parse(got?.body ?? '')).toEqual({
      ...{ specversion: '1.0', id: event.id, source: '/ccm-migrate', subject: 'prod-1' },
      ...{ type: 'dev.ccm-migrate.run.began.v1', time: '1970-01-01T00:00:01.000Z' },
      datacontenttype: 'application/json',
      data: { workflowId: 'w', runId: 'r-1', cluster: 'prod-1', fleet: '' },
    });
    expect(got?.headers).toMatchObject({
      ...{ 'webhook-id': event.id, 'webhook-timestamp': '1700000000' },
    });
    expect(received.map(isSigned)).toEqual([true]);
  });

  it('leaves out what is not known: a subject, a time', async () => {
    const run = { workflowId: 'w', runId: 'r', cluster: '', fleet: '' };
    await (await senderTo(url)).send(runBegan(run, null));
    const keys = Object.keys(JSON.parse(received[0]?.body ?? '{}') as object);
    expect(keys.filter((name) => name === 'subject' || name === 'time')).toEqual([]);
  });

  it('is signed by the key that the file holds now; one that others may read sends nothing', async () => {
    const sender = await senderTo(url);
    await sender.send(eventOf('r-1'));
    await writeKey();
    await sender.send(eventOf('r-2'));
    expect(received.map(isSigned)).toEqual([false, true]);
    await chmod(keyFile, 0o644);
    const attempt = await sender.send(eventOf('r-3'));
    expect(attempt.kind).toBe('later');
    expect(attempt.detail).toContain('others may read it');
    expect(received).toHaveLength(2);
  });

  it.each([
    [200, 'delivered'],
    [302, 'later'],
    [400, 'refused'],
    [401, 'later'],
    [404, 'later'],
    [422, 'refused'],
    [429, 'later'],
    [500, 'later'],
  ])('the answer %d means %s, and no redirect is followed', async (status, kind) => {
    answers = [status];
    expect(await (await senderTo(url)).send(eventOf('r'))).toMatchObject({ kind });
    expect(received).toHaveLength(1);
  });

  it('an answer that does not come is given up, and a receiver that is away is no error', async () => {
    answers = [null];
    const sender = await senderTo(url);
    const late = { kind: 'later', detail: 'no answer (in time)' };
    expect(await sender.send(eventOf('r'))).toEqual(late);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(await sender.send(eventOf('r'))).toMatchObject({ kind: 'later' });
  }, 30_000);

  it.each([
    'http://events.example.net/',
    'http://localhost:1/',
    'https://user:word@events.example.net/',
    'https://events.example.net/?q=1',
    'events.example.net',
    'ftp://127.0.0.1/',
  ])('nothing is sent to %s', async (to) => {
    await expect(senderTo(to)).rejects.toThrow('must be https://');
  });

  it.each(['', 'short', `${'A'.repeat(43)}=\nsecond line`, 'k'.repeat(2000)])(
    'no key is read out of %j',
    async (text) => {
      await writeFile(keyFile, text, { mode: 0o600 });
      await expect(senderTo(url)).rejects.toThrow('in base64');
    },
  );

  it('a key that is not there is said at the start', async () => {
    keyFile = join(folder, 'none');
    await expect(senderTo(url)).rejects.toThrow('there is no such file');
  });
});

describe('a receiver over TLS', () => {
  it('is told only if the given authorities vouch for it', async () => {
    const stub = await startTlsStub();
    stub.answers((_seen, response) => response.writeHead(204).end());
    const target = { url: `${stub.base}/ccm`, keyFile, source: '/s', clock: Date.now };
    const stranger = await openEventSender({ ...target, ca: null });
    const sender = await openEventSender({ ...target, ca: stub.authority.certificatePem });
    senders.push(stranger, sender);
    expect(await stranger.send(eventOf('r'))).toMatchObject({ kind: 'later' });
    expect(stub.seen).toHaveLength(0);
    expect(await sender.send(eventOf('r'))).toMatchObject({ kind: 'delivered' });
    expect(stub.seen.map(({ url: seen }) => seen.pathname)).toEqual(['/ccm']);
    await stub.close();
  });
});

describe('the outbox', () => {
  const quiet = { clock: () => 5_000, log: () => undefined };
  const delivered = { kind: 'delivered', detail: '' } as const;

  it('sends an event once, however often it is read', async () => {
    const outbox = createOutbox(quiet);
    const sent: string[] = [];
    for (const round of [1, 2]) {
      outbox.add([eventOf('a'), eventOf('b')]);
      await outbox.drain(async ({ run }) => {
        sent.push(`${String(round)} ${run.runId}`);
        return Promise.resolve(delivered);
      });
    }
    expect(sent).toEqual(['1 a', '1 b']);
    expect(outbox.figures()).toEqual({
      ...{ delivered: 2, refused: 0, dropped: 0, oldestSeconds: 0 },
    });
  });

  it('keeps what could not be sent, in its order, and gives up what is refused', async () => {
    let nowMs = 0;
    const outbox = createOutbox({ ...quiet, clock: () => nowMs });
    outbox.add([eventOf('a'), eventOf('b')]);
    nowMs = 3_000;
    const away = { kind: 'later', detail: '' } as const;
    expect(await outbox.drain(() => Promise.resolve(away))).toBe(false);
    expect(outbox.figures()).toMatchObject({ delivered: 0, oldestSeconds: 3 });
    const refused = { kind: 'refused', detail: '' } as const;
    const send = ({ run }: OutgoingEvent) =>
      Promise.resolve(run.runId === 'a' ? refused : delivered);
    expect(await outbox.drain(send)).toBe(true);
    expect(outbox.figures()).toMatchObject({ delivered: 1, refused: 1, oldestSeconds: 0 });
  });

  it('is bounded: the oldest is dropped, counted and logged', async () => {
    const logged: unknown[] = [];
    const log = (_level: string, fields: unknown): void => void logged.push(fields);
    const outbox = createOutbox({ ...quiet, log, mostWaiting: 2 });
    outbox.add([eventOf('a'), eventOf('b'), eventOf('c')]);
    expect(logged).toEqual([{ message: 'events are dropped', dropped: 1 }]);
    const sent: string[] = [];
    await outbox.drain(({ run }) => {
      sent.push(run.runId);
      return Promise.resolve(delivered);
    });
    expect(sent).toEqual(['b', 'c']);
    expect(outbox.figures().dropped).toBe(1);
    expect(eventMetrics(outbox.figures())).toContain(
      'ccm_migrate_events_total{outcome="dropped"} 1',
    );
  });
});

describe('telling events', () => {
  it('outlives a receiver and a Temporal that are away, and ends when it is told to', async () => {
    answers = [503, 503, 204];
    const stop = new AbortController();
    let reads = 0;
    const sinces: number[] = [];
    const read = (sinceMs: number): Promise<readonly OutgoingEvent[]> => {
      reads += 1;
      sinces.push(sinceMs);
      return reads === 1 ? Promise.reject(new Error('away')) : Promise.resolve([eventOf('a')]);
    };
    const warned: unknown[] = [];
    const teller = tellEvents({
      ...{ watch: { read }, sender: await senderTo(url), signal: stop.signal, everyMs: 20 },
      clock: () => 100 * 3_600_000,
      log: (level, fields) => {
        if (level === 'warn') warned.push(fields);
      },
    });
    while (teller.figures().delivered === 0) await sleep(20);
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(sinces[0]).toBe(76 * 3_600_000);
    expect(warned[0]).toMatchObject({ detail: 'away' });
    stop.abort();
    await teller.ended;
    expect(teller.figures()).toMatchObject({ delivered: 1, oldestSeconds: 0 });
  });
});
