import { expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** What the README types into the first and into the second terminal, below `A fleet`. */
async function terminals(): Promise<readonly [first: string, second: string]> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const section = readme.split('\n**A fleet.**')[1] ?? '';
  const [first, second] = [...section.matchAll(/```console\n([^]*?)```/g)].map(([, text]) => text);
  if (first === undefined || second === undefined) throw new Error('the README shows no fleet');
  return [first, second];
}

interface Shell {
  readonly process: ChildProcess;
  readonly type: (text: string) => void;
  readonly said: () => string;
}

function shellIn(cwd: string): Shell {
  const shell = spawn('bash', ['--norc', '-s'], { cwd });
  let said = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (bytes: Buffer) => (said += bytes.toString('utf8')));
  const type = (text: string): void => void shell.stdin.write(text);
  return { process: shell, type, said: () => said };
}

/** Polls, because what another process says has no event to await. */
async function untilSaid({ process: { exitCode }, said }: Shell, words: string): Promise<void> {
  while (!said().includes(words)) {
    if (exitCode !== null) throw new Error(said());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it("the README's second terminal pauses, resumes and rolls back the fleet of the first one", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-readme-'));
  // The suite has built it: `npm run` would build it again.
  await symlink(join(ROOT, 'dist'), join(folder, 'dist'));
  const [typed, second] = await terminals();
  const first = shellIn(folder);
  first.type(typed.replace('npm run demo -- ', 'exec node dist/cli/main.js demo '));
  try {
    await untilSaid(first, '1 changing (eu-1)');
    const other = shellIn(folder);
    const [untilPaused, resumed] = second.split(/^(?=ccm resume)/m);
    other.type(untilPaused ?? '');
    // Who pauses reads that it is before he goes on.
    await untilSaid(first, 'paused');
    other.type(`${resumed ?? ''}exit\n`);
    await once(other.process, 'close');
    const answers = other.said();
    expect(answers).not.toMatch(/✖|CCM4\d{3}/);
    await once(first.process, 'close');
    const told = first.said();
    expect(told).toContain('paused');
    expect(told).toMatch(/✔ never two owners, in any cluster/);
    expect(told).toMatch(/NOT TRUE the CCM owns the cloud controllers/);
    expect(told).not.toMatch(/owned by (ccm|none|kcm and)/);
    expect(first.process.exitCode).toBe(3);
  } finally {
    first.process.kill('SIGTERM');
    if (first.process.exitCode === null) await once(first.process, 'close');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}, 600_000);
