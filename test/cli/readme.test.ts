import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The block below `Rehearse first`, verbatim. */
async function rehearsal(): Promise<string> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const block = /^Rehearse first[^]*?```console\n([^]*?)```/m.exec(readme)?.[1];
  if (block === undefined) throw new Error('the README has no rehearsal');
  return block;
}

/** What a user does: paste the block as a whole into a fresh shell, in a folder with the examples. */
async function pasted(text: string): Promise<{ readonly log: string; readonly code: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-readme-'));
  try {
    await mkdir(join(folder, 'bin'));
    const command = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'dist/cli/main.js')}" "$@"\n`;
    await writeFile(join(folder, 'bin/ccm-migrate'), command, { mode: 0o755 });
    await cp(join(ROOT, 'config/examples'), join(folder, 'config/examples'), { recursive: true });
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
    const shell = spawn('bash', ['--norc', '-s'], { cwd: folder, env });
    let log = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (bytes: Buffer) => (log += bytes.toString('utf8')));
    shell.stdin.end(text);
    await once(shell, 'close');
    for (const [, pid] of log.matchAll(/end it with: kill (\d+)/g)) await ended(Number(pid));
    return { log, code: shell.exitCode ?? -1 };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ends a background process in the way its output suggests. */
async function ended(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it("the README's rehearsal can be pasted into a fresh shell, and migrates and rolls back", async () => {
  const { log, code } = await pasted(await rehearsal());
  expect(log).not.toMatch(/✖|CCM1505|nothing was changed/);
  expect(code).toBe(0);
  expect(log).toContain('Next: ccm-migrate apply plan.json');
  expect(log).toContain('Completed');
  expect(log).toContain('RolledBack');
  expect(log).toMatch(/✔ .*record/);
}, 600_000);
