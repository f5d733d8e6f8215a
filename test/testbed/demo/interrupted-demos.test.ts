import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, jest } from '@jest/globals';
import { compiledProgram } from '../../../devserver/package-files.js';
import { withFiles } from '../../config/given-files.js';
import { filesOfFleet } from './rehearsal/given-files-of-fleet.js';

jest.setTimeout(200_000);

const CLUSTERS = [
  ['one', 'eu'],
  ['two', 'us'],
] as const;

interface Ended {
  readonly exit: number | null;
  readonly lastLine: string;
  /** In its folder for temporary files. */
  readonly left: readonly string[];
}

/** Runs a command in a terminal of its own, and acts on it as soon as it prints `at`. */
async function ended(
  words: readonly string[],
  at: RegExp,
  act: (child: ChildProcess) => Promise<void>,
): Promise<Ended> {
  const files = await filesOfFleet(CLUSTERS, { waves: [{ name: 'all' }] });
  return withFiles(files, async (folder) => {
    const temporary = join(folder, 'temporary');
    await mkdir(temporary);
    const child = spawn(process.execPath, [compiledProgram('cli', 'main.js'), ...words], {
      ...{ cwd: folder, env: { ...process.env, TMPDIR: temporary }, detached: true },
    });
    const closed = once(child, 'close');
    let [said, errors] = ['', ''];
    const begun = new Promise<void>((resolve) => {
      const hear = (text: string): void => {
        said += text;
        if (at.test(said)) resolve();
      };
      child.stdout.on('data', (bytes: Buffer) => hear(bytes.toString('utf8')));
      child.stderr.on('data', (bytes: Buffer) => {
        errors += bytes.toString('utf8');
        hear(bytes.toString('utf8'));
      });
    });
    await Promise.race([begun, closed]);
    await act(child);
    await closed;
    const lastLine = errors.trim().split('\n').at(-1) ?? '';
    // The program above passes a Ctrl-C on as SIGTERM. On a busy machine that is heard first.
    const told = lastLine.replace('(received SIGTERM)', '(received SIGINT)');
    return { exit: child.exitCode, lastLine: told, left: await readdir(temporary) };
  });
}

/** Ctrl-C, which goes to all processes of a terminal, after each of the pauses. */
const ctrlC =
  (...pausesMs: readonly number[]) =>
  async (child: ChildProcess): Promise<void> => {
    for (const pauseMs of pausesMs) {
      await sleep(pauseMs);
      if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGINT');
    }
  };

const REHEARSE = ['rehearse', '-f', '.', '--speed', '6'];

it.each<[string, RegExp, readonly number[]]>([
  ['while it starts', /Rehearsal of fleet/, [0]],
  ['while its clusters move', /changing/, [0]],
  ['twice', /changing/, [0, 400]],
])(
  'a rehearsal that is interrupted %s says what has ended, and leaves nothing',
  async (_when, at, pausesMs) => {
    expect(await ended(REHEARSE, at, ctrlC(...pausesMs))).toEqual({
      exit: 130,
      lastLine:
        'interrupted (received SIGINT): the clusters, the Temporal server and the workers of this rehearsal have ended; nothing is left',
      left: [],
    });
  },
);

it('a demo whose output is not read any more says so, and leaves nothing', async () => {
  const words = ['demo', '--nodes', '1', '--speed', '6'];
  const leaves = async (child: ChildProcess): Promise<void> => void child.stdout?.destroy();
  expect(await ended(words, /enableLeaderMigration/, leaves)).toEqual({
    exit: 130,
    lastLine:
      'interrupted (the output is closed): the clusters, the Temporal server and the workers of this demo have ended; nothing is left',
    left: [],
  });
});
