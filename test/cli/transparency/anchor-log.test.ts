import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendEntries, beginLog, openLog } from '../../../cli/transparency/anchor-log.js';
import { readStoredLog, rootText } from '../../../cli/transparency/log-files.js';
import { entryText, type LogEntry } from '../../../domain/transparency/log-entry.js';
import { logKey, ORIGIN, writtenLog } from '../../support/anchored-log.js';

const KEY = logKey();

function quiet(from: number, count: number): readonly LogEntry[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ kind: 'quiet', at: new Date((from + at) * 1000).toISOString() },
  }));
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-log-'));
});
afterEach(() => rm(folder, { recursive: true }));

const add = async (from: number, count: number) =>
  appendEntries(folder, await openLog(folder, KEY), quiet(from, count), KEY);

async function filesIn(...parts: readonly string[]): Promise<readonly string[]> {
  return (await readdir(join(folder, ...parts))).sort();
}

/** Changes the bytes of one file of the log. */
async function damage(path: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  const file = join(folder, path);
  await writeFile(file, change(await readFile(file)));
}

describe('a log of anchors', () => {
  it('has its entries in the order in which they came, and each earlier root', async () => {
    await writtenLog(folder, [
      quiet(0, 1),
      quiet(1, 254),
      quiet(255, 1),
      quiet(256, 1),
      quiet(257, 343),
    ]);
    const log = await openLog(folder, KEY);
    expect(log.entries).toEqual(quiet(0, 600));
    expect(log.stored.entries).toEqual(quiet(0, 600).map(entryText));
    for (const size of [1, 255, 256, 257, 600]) {
      const at = [1, 255, 256, 257, 600].indexOf(size);
      const kept = await readFile(join(folder, `kept-${String(at)}`), 'utf8');
      expect(kept).toContain(`\n${String(size)}\n${rootText(log.stored.levels, size)}\n`);
    }
  });

  it('lies as C2SP tlog-tiles wants: tiles that are whole have no parts left', async () => {
    await writtenLog(folder, [quiet(0, 3), quiet(3, 200), quiet(203, 60)]);
    expect(await filesIn('tile')).toEqual(['0', '1', 'entries']);
    expect(await filesIn('tile', 'entries')).toEqual(['000', '001.p']);
    expect(await filesIn('tile', '0')).toEqual(['000', '001.p']);
    expect(await filesIn('tile', '0', '001.p')).toEqual(['7']);
    expect((await readFile(join(folder, 'tile/0/000'))).length).toBe(256 * 32);
    expect(await filesIn('tile', '1', '000.p')).toEqual(['1']);
  });

  it('begins once, under one key', async () => {
    await beginLog(folder, ORIGIN, KEY);
    await expect(beginLog(folder, ORIGIN, KEY)).rejects.toThrow('there is a log in');
    await expect(openLog(folder, logKey('thief'))).rejects.toThrow('not signed with this key');
    await expect(openLog(join(folder, 'nowhere'), KEY)).rejects.toThrow(
      'no checkpoint can be read',
    );
  });

  it('is the one of before where a write ended before its checkpoint', async () => {
    await writtenLog(folder, [quiet(0, 250)]);
    const before = await readFile(join(folder, 'checkpoint'));
    await add(1000, 10);
    await writeFile(join(folder, 'checkpoint'), before);
    expect((await openLog(folder, KEY)).entries).toEqual(quiet(0, 250));
    await add(250, 10);
    expect((await openLog(folder, KEY)).entries).toEqual(quiet(0, 260));
  });

  it('takes no entries from two processes at once', async () => {
    await writtenLog(folder, [quiet(0, 3)]);
    const [one, two] = [await openLog(folder, KEY), await openLog(folder, KEY)];
    await appendEntries(folder, one, quiet(3, 1), KEY);
    await expect(appendEntries(folder, two, quiet(3, 1), KEY)).rejects.toThrow('another process');
    expect((await openLog(folder, KEY)).entries).toEqual(quiet(0, 4));
  });

  const flip = (at: number) => (bytes: Buffer) => {
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  it.each<[string, string, (bytes: Buffer) => Buffer, string]>([
    ['an entry was changed', 'tile/entries/000', flip(20), 'not those of its checkpoint'],
    ['the last one was changed', 'tile/entries/001.p/4', flip(10), 'not those of its checkpoint'],
    ['it was cut off', 'tile/entries/001.p/4', (bytes) => bytes.subarray(0, -1), 'cut off'],
    ['half a length is left', 'tile/entries/001.p/4', (bytes) => bytes.subarray(0, 1), 'cut off'],
    [
      'an entry is missing',
      'tile/entries/000',
      (bytes) => bytes.subarray(2 + bytes.readUInt16BE()),
      'cut off',
    ],
    [
      'its checkpoint is none',
      'checkpoint',
      (bytes) => bytes.subarray(1, 20),
      'its checkpoint is none',
    ],
    [
      'its checkpoint is of another size',
      'checkpoint',
      (bytes) => Buffer.from(bytes.toString().replace('\n260\n', '\n259\n')),
      'tile/entries/001.p/3 is missing',
    ],
    [
      'its checkpoint is larger than any',
      'checkpoint',
      (bytes) => Buffer.from(bytes.toString().replace('\n260\n', '\n99999999999\n')),
      'more entries than any log',
    ],
  ])('is refused where %s', async (_case, path, change, words) => {
    await writtenLog(folder, [quiet(0, 260)]);
    await damage(path, change);
    await expect(readStoredLog(folder)).rejects.toThrow(words);
  });

  it('is refused where a part is missing, unless the whole one is there', async () => {
    await writtenLog(folder, [quiet(0, 200)]);
    const early = await mkdtemp(join(tmpdir(), 'ccm-migrate-log-'));
    await cp(folder, early, { recursive: true });
    await add(200, 60);
    // As when the checkpoint of before is read beside the files of after.
    await cp(join(early, 'checkpoint'), join(folder, 'checkpoint'));
    expect((await openLog(folder, KEY)).entries).toEqual(quiet(0, 200));
    await rm(join(folder, 'tile/entries/000'));
    await expect(openLog(folder, KEY)).rejects.toThrow('tile/entries/000.p/200 is missing');
    await rm(early, { recursive: true });
  });

  it('is refused where an entry is of a later version', async () => {
    await writtenLog(folder, [[{ kind: 'later' } as unknown as LogEntry]]);
    await expect(openLog(folder, KEY)).rejects.toThrow('written by a later one');
  });

  it('takes no entry that no bundle can hold', async () => {
    await writtenLog(folder, []);
    const large = { kind: 'quiet', at: 'x'.repeat(65_536) } as const;
    const log = await openLog(folder, KEY);
    await expect(appendEntries(folder, log, [large], KEY)).rejects.toThrow('larger than 64 KiB');
    expect((await openLog(folder, KEY)).entries).toEqual([]);
  });
});
