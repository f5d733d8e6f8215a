import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { lintTree } from '../../config/fleet.js';
import { formatProblem } from '../../config/problems.js';
import { CCM_POD, FLEET, INVENTORY, POLICY, withFiles } from './given-files.js';

jest.setTimeout(120_000);

const SET = {
  'fleet.yaml': FLEET,
  'inventory.yaml': INVENTORY,
  'policy.yaml': POLICY,
  'ccm.yaml': CCM_POD,
};
const HEAD =
  'apiVersion: ccm-migrate.dev/v1alpha1\nkind: ClusterInventory\nmetadata: { name: a }\n';

async function linted(folder: string): Promise<readonly string[]> {
  const { problems } = await lintTree([folder]);
  return problems.map(formatProblem).map((line) => line.replaceAll(`${folder}/`, ''));
}

/** Lints a file beside a broken policy, which must still be told. */
async function beside(name: string, content: string | Buffer): Promise<readonly string[]> {
  const broken = { ...SET, 'policy.yaml': POLICY.replace('source:', 'sorce:') };
  return withFiles(broken, async (folder) => {
    await writeFile(join(folder, name), content);
    const lines = await linted(folder);
    expect(lines).toContainEqual(expect.stringContaining('policy.yaml:5:3: spec.sorce'));
    return lines.filter((line) => line.startsWith(name));
  });
}

describe('a file that no one wrote by hand', () => {
  it.each<[string, string | Buffer, string]>([
    ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x80]), 'x.yaml:1:1: is no text in UTF-8 (CCM5001)'],
    ['zeros', Buffer.alloc(1000), 'x.yaml:1:1: is no text in UTF-8 (CCM5001)'],
    [
      'UTF-16',
      Buffer.from(`\ufeff${FLEET}`, 'utf16le'),
      'x.yaml:1:1: is no text in UTF-8 (CCM5001)',
    ],
    ['one byte too many', `#${' '.repeat(1024 * 1024)}`, 'x.yaml:1:1: larger than 1 MiB (CCM5015)'],
  ])('is named with what is wrong, and the others are linted: %s', async (_what, text, line) => {
    expect(await beside('x.yaml', text)).toEqual([line]);
  });

  it.each<[string, string, string]>([
    [
      'the same key again',
      'a: 1\n'.repeat(150_000),
      'x.yaml:102:1: 149899 more problems of this file are not shown (CCM5001)',
    ],
    [
      'unknown keys',
      `${HEAD}spec:\n${Array.from({ length: 50_000 }, (_, index) => `  k${index}: 1\n`).join('')}`,
      'x.yaml:5:3: spec: 49950 more unknown keys are not shown (CCM5002)',
    ],
  ])('is told by its first problems, however many it has: %s', async (_what, text, line) => {
    const lines = await beside('x.yaml', text);
    expect(lines.length).toBeLessThanOrEqual(101);
    expect(lines.slice(-2)).toContainEqual(line);
  });
});

describe('a manifest that is too large to be one', () => {
  it('is not read into memory', async () => {
    await withFiles(SET, async (folder) => {
      await truncate(join(folder, 'ccm.yaml'), 3 * 1024 ** 3);
      const [line = '', ...others] = (await linted(folder)).filter((each) => each.startsWith('p'));
      expect(line).toContain('spec.ccm.manifest: larger than 1 MiB: ');
      expect(line).toContain('(CCM5015)');
      expect(others).toEqual([]);
    });
  });
});

describe('a folder below the named one', () => {
  it('is linted for the sake of a file that is too large', async () => {
    await withFiles({ ...SET }, async (folder) => {
      await mkdir(join(folder, 'below'));
      await writeFile(join(folder, 'below/i.yaml'), `${HEAD}#${' '.repeat(1024 * 1024)}`);
      await writeFile(join(folder, 'below/data.json'), '1');
      expect(await linted(folder)).toContainEqual('below/i.yaml:1:1: larger than 1 MiB (CCM5015)');
      await rm(join(folder, 'below/i.yaml'));
      await writeFile(join(folder, 'below/data.json'), `[${'1,'.repeat(1024 * 1024)}1]`);
      expect(await linted(folder)).toEqual([]);
    });
  });

  it('does not pass where a file in it cannot be looked into', async () => {
    await withFiles({ ...SET, 'below/b.yaml': 'a: 1\n' }, async (folder) => {
      // Of a broken link nothing is there to be ours; one that names itself is not readable, also for root.
      await symlink('nothing.yaml', join(folder, 'below/broken.yaml'));
      expect(await linted(folder)).toEqual([]);
      await symlink('loop.yaml', join(folder, 'below/loop.yaml'));
      expect(await linted(folder)).toEqual([
        'below/loop.yaml:1:1: cannot be read (ELOOP) (CCM5016)',
      ]);
    });
  });
});
