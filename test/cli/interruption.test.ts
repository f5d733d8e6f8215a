import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { forcesExit } from '../../cli/interruption.js';
import { compiledProgram } from '../../devserver/package-files.js';
import { withFiles } from '../config/given-files.js';

describe('a second signal', () => {
  it.each<[string, string, number, string, boolean]>([
    ['Ctrl-C that the command above passes on', 'SIGINT', 5, 'SIGTERM', false],
    ['a terminal that goes away, passed on', 'SIGHUP', 900, 'SIGTERM', false],
    ['the same, echoed', 'SIGINT', 3, 'SIGINT', false],
    ['a second Ctrl-C of a person', 'SIGINT', 400, 'SIGINT', true],
    ['a service manager that has waited', 'SIGINT', 10_000, 'SIGTERM', true],
  ])('%s', (_what, first, afterMs, next, forces) => {
    const received = { signal: first, atMs: 1_000 };
    expect(forcesExit(received, { signal: next, atMs: 1_000 + afterMs })).toBe(forces);
  });
});

/** A verb that cleans up for a second once it is interrupted, and says so with a file. */
const PROGRAM = `
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInProcess } from ${JSON.stringify(compiledProgram('cli', 'run-in-process.js'))};
const follow = async (cli) => {
  for (let line = 0; !cli.signal.aborted; line += 1) {
    cli.terminal.out('line ' + line + '\\n');
    await sleep(20, undefined, { signal: cli.signal }).catch(() => undefined);
  }
  await sleep(1000);
  writeFileSync(process.env.CLEANED, '');
  return 'interrupted';
};
const say = async (cli) => {
  cli.terminal.out('a document');
  return 'reached';
};
const verb = (name, action) => ({
  ...{ name, about: '', examples: [], arguments: [], flags: [], exitStatuses: [] },
  load: async () => action,
});
process.exitCode = await runInProcess([verb('follow', follow), verb('say', say)], process.env);
`;

interface Ended {
  readonly exit: number | null;
  readonly isCleaned: boolean;
  readonly stderr: string;
}

async function ended(
  word: 'follow' | 'say',
  act: (child: ChildProcess) => Promise<void>,
  stdout: 'pipe' | number = 'pipe',
): Promise<Ended> {
  return withFiles({}, async (folder) => {
    const [program, cleaned] = [join(folder, 'program.mjs'), join(folder, 'cleaned')];
    await writeFile(program, PROGRAM);
    const child = spawn(process.execPath, [program, word], {
      ...{ env: { ...process.env, CLEANED: cleaned }, stdio: ['ignore', stdout, 'pipe'] },
    });
    let stderr = '';
    child.stderr?.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
    const closed = once(child, 'close');
    if (child.stdout !== null) await once(child.stdout, 'data');
    await act(child);
    await closed;
    return { exit: child.exitCode, isCleaned: existsSync(cleaned), stderr };
  });
}

describe('a command that is interrupted', () => {
  it.each<[string, readonly (readonly [NodeJS.Signals, number])[]]>([
    ['SIGHUP, when its terminal goes away', [['SIGHUP', 0]]],
    [
      'Ctrl-C, which the command above passes on',
      [
        ['SIGINT', 30],
        ['SIGTERM', 0],
      ],
    ],
  ])('cleans up after %s', async (_what, signals) => {
    const { exit, isCleaned } = await ended('follow', async (child) => {
      for (const [signal, pauseMs] of signals) {
        child.kill(signal);
        await sleep(pauseMs);
      }
    });
    expect([exit, isCleaned]).toEqual([130, true]);
  });

  it('ends at once on a second Ctrl-C', async () => {
    const { exit, isCleaned } = await ended('follow', async (child) => {
      child.kill('SIGINT');
      await sleep(500);
      child.kill('SIGINT');
    });
    expect([exit, isCleaned]).toEqual([130, false]);
  });
});

describe('output that does not arrive', () => {
  it('of a command that follows, with a reader that has left: it cleans up, and did not reach its goal', async () => {
    const { exit, isCleaned } = await ended('follow', async (child) => {
      child.stdout?.destroy();
    });
    expect([exit, isCleaned]).toEqual([130, true]);
  });

  it('on a full disk is an error', async () => {
    const full = openSync('/dev/full', 'w');
    const { exit, stderr } = await ended('say', async () => undefined, full);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('could not be written (ENOSPC)')]);
  });
});
