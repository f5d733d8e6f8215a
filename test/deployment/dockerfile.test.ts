import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runProgram } from '../../devserver/run-program.js';
import { dockerfileInstructions, fileText } from './deployment-files.js';

const instructions = dockerfileInstructions();
const all = (word: string) => instructions.filter((one) => one.word === word);
const last = (word: string) => all(word).at(-1)?.rest ?? '';

/** Runs the image's health check against a worker that answers `status`, or against none. */
async function healthCheckExit(status: number | 'no worker'): Promise<number | null> {
  const [, program, ...args] = /CMD (\[.*\])$/.exec(last('HEALTHCHECK')) ?? [];
  expect(args).toEqual([]);
  const command = JSON.parse(program ?? '[]') as string[];
  const asked: string[] = [];
  const worker = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status === 'no worker' ? 500 : status).end();
  });
  await new Promise<void>((resolve) => worker.listen(0, '127.0.0.1', resolve));
  const { port } = worker.address() as AddressInfo;
  if (status === 'no worker') worker.close();
  const env = { CCM_MIGRATE_HEALTH_ADDRESS: `127.0.0.1:${port}` };
  const { code } = await runProgram(process.execPath, command.slice(1), { env });
  worker.close();
  if (status !== 'no worker') expect(asked).toEqual(['/readyz']);
  return code;
}

describe('Dockerfile', () => {
  it('the image is built and runs on the same pinned Debian image', () => {
    const images = all('FROM').map(({ rest }) => rest.split(' ')[0]);
    expect(images).toEqual(['node:24-bookworm-slim', 'node:24-bookworm-slim']);
  });

  it('the image installs what the lock file pins', () => {
    expect(all('RUN').some(({ rest }) => rest.startsWith('npm ci'))).toBe(true);
  });

  it('the image runs as a user that is not root, under an init process', () => {
    const words = instructions.map(({ word }) => word);
    expect(last('USER')).toBe('node');
    expect(words.lastIndexOf('USER')).toBeLessThan(words.lastIndexOf('ENTRYPOINT'));
    expect(JSON.parse(last('ENTRYPOINT'))).toContain('dist/workers/main.js');
    expect(last('ENTRYPOINT')).toMatch(/^\["\/usr\/bin\/tini", "--"/);
  });

  it.each([
    ['serves', 200, 0],
    ['is not ready', 503, 1],
    ['is gone', 'no worker' as const, 1],
  ])(
    'the health check passes only while the worker is ready: the worker %s',
    async (_name, status, exit) => {
      expect(await healthCheckExit(status)).toBe(exit);
    },
  );

  it('no secret and no foreign build enters the image', () => {
    const ignored = fileText('.dockerignore').split('\n');
    for (const path of ['.env', '.git', 'node_modules', 'dist']) expect(ignored).toContain(path);
  });
});
