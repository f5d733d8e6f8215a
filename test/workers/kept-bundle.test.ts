import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestText } from '../../domain/digest.js';
import { bundleOfWriter } from '../../workers/kept-bundle.js';

const OWN = { code: 'own', digest: digestText('own') };
const OTHER = { code: 'other', digest: digestText('other') };
const FORGED = digestText('as its name says');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-kept-'));
  const nameOf = (digest: string): string => join(folder, `${digest.slice('sha256:'.length)}.js`);
  await writeFile(nameOf(OTHER.digest), OTHER.code);
  await writeFile(nameOf(FORGED), 'something else');
  await writeFile(join(folder, '..', 'x.js'), 'outside');
});
afterAll(async () => {
  await rm(join(folder, '..', 'x.js'));
  await rm(folder, { recursive: true });
});

describe('the bundle that wrote a history', () => {
  it.each([
    ['is that of this installation', OWN.digest, OWN],
    ['is taken to be it where no one knows', '', OWN],
    ['is one that was kept', OTHER.digest, OTHER],
  ])('%s', async (_case, writer, bundle) => {
    expect(await bundleOfWriter(writer, folder, OWN)).toEqual({ kind: 'found', bundle });
  });

  it.each([
    ['that no one kept', digestText('gone'), 'does not keep it'],
    ['that is not what its name says', FORGED, 'keeps something else'],
    ['whose name leads elsewhere', 'sha256:../x', 'does not keep it'],
    ['of a build from before there were digests', '@temporalio/worker@1.0', 'does not keep it'],
  ])('is not run: one %s', async (_case, writer, why) => {
    expect(await bundleOfWriter(writer, folder, OWN)).toEqual({
      ...{ kind: 'none', why: expect.stringContaining(why) },
    });
  });

  it('is looked for nowhere unless a folder is named', async () => {
    expect(await bundleOfWriter(OTHER.digest, '', OWN)).toEqual({
      ...{
        kind: 'none',
        why: `written by bundle ${OTHER.digest}, this installation has ${OWN.digest}`,
      },
    });
  });
});
