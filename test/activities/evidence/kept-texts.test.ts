import { mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import { textsFolder } from '../../../activities/evidence/kept-texts.js';
import { runFile } from '../../../activities/evidence/run-file.js';
import { digestText } from '../../../domain/digest.js';

const RUN = { workflowId: 'cluster-migration/1234', runId: 'run-1' };
const TEXT = '{"objects":["naïve"]}';
const DIGEST = digestText(TEXT);

let folder: string;
let texts: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-texts-'));
  texts = textsFolder(runFile(folder, RUN));
  file = join(texts, `${DIGEST.slice(7)}.txt`);
});
afterEach(() => rm(folder, { recursive: true }));

describe('texts beside the evidence of a run', () => {
  it('it is readable by its owner only, and keeping it again writes nothing', async () => {
    const store = createFileEvidenceStore(folder);
    await store.keepText(RUN, TEXT);
    const first = await stat(file);
    expect(first.mode & 0o777).toBe(0o600);
    await store.keepText(RUN, TEXT);
    expect((await stat(file)).ino).toBe(first.ino);
    expect(await readdir(texts)).toHaveLength(1);
  });

  it.each<readonly [string, () => Promise<unknown>]>([
    ['was changed', () => writeFile(file, TEXT.replace('naïve', 'other'))],
    ['was cut', () => truncate(file, 3)],
    ['grew beyond all bounds', () => truncate(file, 65 * 1024 * 1024)],
  ])('one that %s is none, and is kept again', async (_name, harm) => {
    const store = createFileEvidenceStore(folder);
    await store.keepText(RUN, TEXT);
    await harm();
    expect(await store.keptText(RUN, DIGEST)).toBeNull();
    await store.keepText(RUN, TEXT);
    expect(await store.keptText(RUN, DIGEST)).toBe(TEXT);
  });

  it('two workers that keep the same text at once do not disturb each other', async () => {
    const stores = [createFileEvidenceStore(folder), createFileEvidenceStore(folder)];
    await Promise.all(stores.map((store) => store.keepText(RUN, TEXT)));
    expect(await readdir(texts)).toHaveLength(1);
  });

  it('where it cannot be read or written, both say so and can be tried again', async () => {
    await mkdir(file, { recursive: true });
    const store = createFileEvidenceStore(folder);
    await expect(store.keptText(RUN, DIGEST)).rejects.toMatchObject({ type: 'Unavailable' });
    await expect(store.keepText(RUN, TEXT)).rejects.toMatchObject({ type: 'Unavailable' });
    expect(await readdir(texts)).toHaveLength(1);
  });
});
