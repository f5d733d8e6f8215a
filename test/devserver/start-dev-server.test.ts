import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporalCli } from '../../devserver/find-temporal-cli.js';
import { runProgram } from '../../devserver/run-program.js';
import { startDevServer, type DevServer } from '../../devserver/start-dev-server.js';

let folder: string;
let cliPath: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dev-server-'));
  cliPath = (await findTemporalCli({ env: process.env, report: () => undefined })).path;
}, 900_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ask(server: DevServer, ...args: string[]): Promise<string> {
  const target = ['--address', server.address, '--namespace', server.namespace];
  const { stdout } = await runProgram(cliPath, ['operator', ...args, ...target], {
    env: process.env,
  });
  return stdout;
}

describe('the dev server', () => {
  it('the dev server answers, keeps 90 days and has our search attributes, also after kill -9 on the same file', async () => {
    const options = {
      cliPath,
      dbFile: join(folder, 'temporal.db'),
      namespace: 'migrations',
      logFile: join(folder, 'server.log'),
    };
    const first = await startDevServer(options);
    expect(first.uiUrl).toBeNull();
    process.kill(first.pid, 'SIGKILL');
    await first.stop();
    const second = await startDevServer({ ...options, uiPort: 0 });
    try {
      expect(second.uiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(await ask(second, 'namespace', 'describe')).toMatch(/RetentionTtl\s+2160h/);
      const attributes = await ask(second, 'search-attribute', 'list');
      expect(attributes).toMatch(/Fleet\s+Keyword/);
      expect(attributes).toMatch(/Paused\s+Bool/);
    } finally {
      await second.stop();
    }
  }, 180_000);

  it('a port with another listener is refused instead of used as the server', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const port = (other.address() as AddressInfo).port;
    const logFile = join(folder, 'taken.log');
    await expect(startDevServer({ cliPath, port, logFile })).rejects.toThrow(
      /address already in use/,
    );
    other.close();
  });

  it.each([
    ['does not exist', '/nowhere/temporal'],
    ['ends at once', '/bin/false'],
  ])('the failure is reported when the program to start %s', async (_name, program) => {
    const logFile = join(folder, 'none.log');
    await expect(startDevServer({ cliPath: program, logFile })).rejects.toThrow(
      /dev server ended at once; its log is/,
    );
  });

  it('another port is taken when the first was taken meanwhile, however long the server logs about it', async () => {
    const logFile = join(folder, 'in-between.log');
    const script = join(folder, 'server-that-panics');
    const trace = Array.from({ length: 9 }, (_, nth) => `goroutine ${String(nth)}`);
    const lines = ['listen tcp: bind: address already in use', 'panic:', ...trace];
    const says = lines.map((line) => `echo '${line}'`).join('\n');
    await writeFile(script, `#!/bin/sh\n[ "$1" = server ] || exit 1\n${says}\nexit 2\n`, {
      mode: 0o755,
    });
    await expect(startDevServer({ cliPath: script, logFile })).rejects.toThrow(
      /address already in use/,
    );
    const attempts = (await readFile(logFile, 'utf8')).match(/panic:/g);
    expect(attempts).toHaveLength(3);
  }, 60_000);
});
