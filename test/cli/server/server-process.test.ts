import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../../devserver/free-port.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import { startChild, type Child } from '../../../devserver/processes/child.js';

const TOKEN = 'a-token-of-a-sender';

let folder: string;
let tokens: string;
let keyFile: string;
let temporal: string;
const children: Child[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-server-'));
  tokens = join(folder, 'tokens.json');
  keyFile = join(folder, 'events.key');
  // No Temporal: the server starts without it, and says so to senders.
  temporal = `127.0.0.1:${String(await freePort('127.0.0.1'))}`;
  await writeFile(keyFile, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 });
  const sha256 = createHash('sha256').update(TOKEN).digest('hex');
  const entry = { name: 'am', sha256, expires: '2999-01-01T00:00:00Z', clusters: ['*'] };
  const document = { apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AutomationTokens' };
  await writeFile(tokens, JSON.stringify({ ...document, tokens: [entry] }), { mode: 0o600 });
});
afterAll(async () => {
  await Promise.all(children.map(async (child) => child.stop()));
  await rm(folder, { recursive: true, force: true });
});

interface Served {
  readonly child: Child;
  readonly url: URL;
}

async function startServer(name: string, ...words: readonly string[]): Promise<Served> {
  const { PATH = '', HOME = '' } = process.env;
  const child = await startChild({
    ...{ name, program: compiledProgram('cli', 'main.js'), logFile: join(folder, `${name}.log`) },
    arguments: [
      ...['server', '--tokens', tokens, '--listen', '127.0.0.1:0', '-o', 'json'],
      ...['--address', temporal, ...words],
    ],
    env: { PATH, HOME },
  });
  children.push(child);
  const url = await child.line((line) => /"url":"([^"]+)"/.exec(line)?.[1] ?? null, 60_000);
  return { child, url: new URL(url) };
}

describe('the process of the server', () => {
  it('ends cleanly on SIGTERM, also while it reads for events from a Temporal that is away', async () => {
    const receiver = `http://127.0.0.1:${String(await freePort('127.0.0.1'))}/`;
    const { child, url } = await startServer(
      'ends',
      ...['--events-to', receiver, '--events-key', keyFile],
    );
    expect((await fetch(new URL('/livez', url))).status).toBe(200);
    expect((await fetch(new URL('/readyz', url))).status).toBe(503);
    const page = await (await fetch(new URL('/metrics', url))).text();
    expect(page).toContain('ccm_migrate_events_total{outcome="delivered"} 0');
    const askedMs = Date.now();
    process.kill(child.pid, 'SIGTERM');
    expect(await child.ended).toBe('exit 0');
    expect(Date.now() - askedMs).toBeLessThan(15_000);
    await expect(fetch(new URL('/livez', url))).rejects.toThrow();
  }, 120_000);

  it('gives up a body that does not come', async () => {
    const { child, url } = await startServer('slow');
    const socket = connect(Number(url.port), url.hostname);
    let answer = '';
    socket.on('data', (data) => (answer += data.toString('utf8')));
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/hooks/alertmanager HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    );
    const startedMs = Date.now();
    await once(socket, 'close');
    expect(Date.now() - startedMs).toBeGreaterThan(5_000);
    expect(answer).not.toMatch(/^HTTP\/1\.1 2/);
    expect((await fetch(new URL('/livez', url))).status).toBe(200);
    process.kill(child.pid, 'SIGTERM');
    expect(await child.ended).toBe('exit 0');
  }, 120_000);

  it.each([
    [['--events-to', 'https://events.example.net/'], 'must be given together'],
    [['--events-to', 'http://events.example.net/', '--events-key', 'events.key'], 'must be https'],
    [['--events-to', 'https://events.example.net/', '--events-key', 'none'], 'no such file'],
  ])(
    'does not start with %j',
    async (words, said) => {
      const files = words.map((word) =>
        /^(?:events\.key|none)$/.test(word) ? join(folder, word) : word,
      );
      await expect(startServer(`refuses-${said.slice(0, 4)}`, ...files)).rejects.toThrow();
      const [child] = children.slice(-1);
      expect(child).toBeDefined();
      const log = await readFile(child?.logFile ?? '', 'utf8');
      expect(log).toContain(said);
      expect(await child?.ended).toMatch(/^exit [1-9]/);
    },
    120_000,
  );
});
