import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT_CODES } from '../../cli/exit-status.js';
import { runInForeground } from '../../cli/own-programs.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-programs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function programThat(does: string): Promise<string> {
  const file = join(folder, 'program.mjs');
  await writeFile(file, does);
  return file;
}

describe('a program of ours that a verb runs in its place', () => {
  const env = process.env;

  it.each(Object.entries(EXIT_CODES))('passes on its exit status %s', async (status, code) => {
    const program = await programThat(`process.exit(${String(code)});`);
    const { signal } = new AbortController();
    expect(await runInForeground(program, [], { env, signal })).toBe(status);
  });

  it('counts as failed when its exit code is none of ours', async () => {
    const program = await programThat('process.exit(99);');
    const { signal } = new AbortController();
    expect(await runInForeground(program, [], { env, signal })).toBe('failed');
  });

  it('counts as failed when a signal from elsewhere ends it', async () => {
    const program = await programThat(`process.kill(process.pid, 'SIGKILL');`);
    const { signal } = new AbortController();
    expect(await runInForeground(program, [], { env, signal })).toBe('failed');
  });

  it('receives the interruption when the command is interrupted', async () => {
    const interruption = new AbortController();
    const program = await programThat('setInterval(() => undefined, 1000);');
    const ended = runInForeground(program, [], { env, signal: interruption.signal });
    interruption.abort();
    expect(await ended).toBe('interrupted');
  });
});
