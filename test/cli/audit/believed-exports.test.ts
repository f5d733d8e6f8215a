import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { believedExports } from '../../../cli/audit/believed-exports.js';
import { givenExports } from '../../../cli/audit/given-exports.js';
import { optionReader } from '../../../cli/cli.js';
import { readAccessPolicy } from '../../../config/access/access-policy-file.js';
import { granting } from '../../support/signing.js';
import { signedExport, TRUST, TRUST_FILE } from './signed-export.js';

const GOOD = signedExport({ steps: 1, runId: 'run-3' });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-believed-'));
  const nested = `${'['.repeat(300)}${']'.repeat(300)}`;
  await mkdir(join(folder, 'fleets'));
  await Promise.all([
    writeFile(join(folder, 'a.json'), GOOD.replace('"history": {', `"history": {"zz": ${nested},`)),
    writeFile(join(folder, 'b.json'), '{}'),
    // It takes no place on the disk, and more than a text may have.
    writeFile(join(folder, 'c.json'), '').then(() =>
      truncate(join(folder, 'c.json'), 600 * 1024 * 1024),
    ),
    mkdir(join(folder, 'd.json')),
    writeFile(join(folder, 'e.json'), GOOD),
    writeFile(join(folder, 'f.json'), GOOD.replace('"tool"', '"tools"')),
    writeFile(join(folder, 'fleets/g.json'), GOOD),
  ]);
});
afterAll(() => rm(folder, { recursive: true }));

const cli = () => ({ options: optionReader({ exports: folder }), env: {} });
const UNREADABLE = [
  ['a.json', 'format: it is not an export of this tool'],
  ['b.json', 'format: it is not an export of this tool'],
  ['c.json', 'format: it is larger than 500 MiB'],
  ['d.json', expect.stringMatching(/^format: /)],
  ['fleets/g.json', 'format: it is not an export of a fleet'],
];

describe('exports that an audit of all runs believes', () => {
  const believed = async (trusts: boolean) => {
    const read = readAccessPolicy(TRUST_FILE);
    const trust = trusts && read.kind === 'valid' ? read.policy : null;
    const { runs, fleets, refused } = await believedExports(cli(), { trust, log: null });
    const names = (file: string): string => file.slice(folder.length + 1);
    return {
      runs: runs.map(({ run }) => names(run.file)),
      fleets: fleets.length,
      refused: refused.map(({ file, why }) => [names(file), why]),
    };
  };

  it('are those that can be read; each other file is one finding', async () => {
    const { runs, fleets, refused } = await believed(false);
    expect({ runs, fleets }).toEqual({ runs: ['e.json'], fleets: 0 });
    const [one, two, three, four, ...rest] = UNREADABLE;
    const last = ['f.json', 'format: it is not an export of this tool'];
    expect(refused).toEqual([one, two, three, four, last, ...rest]);
  });

  it('are those that prove themselves, with trust', async () => {
    const { runs, refused } = await believed(true);
    expect(runs).toEqual(['e.json']);
    expect(refused).toHaveLength(6);
  });

  it.each([
    [[], ['e.json', expect.stringMatching(/^roles: .*: ana may not apply here/)], []],
    [['roles'], undefined, ['e.json']],
  ])('are those of people who may ask for it, unless %j may be unproven', async (...given) => {
    const [allow, refusal, counted] = given;
    const options = optionReader({ exports: folder, allow });
    const trust = granting(TRUST, { ana: [{ roles: ['operator'] }] });
    const { runs, refused } = await believedExports({ options, env: {} }, { trust, log: null });
    const names = (file: string): string => file.slice(folder.length + 1);
    const found = refused.map(({ file, why }) => [names(file), why]);
    expect(found.find(([file]) => file === 'e.json')).toEqual(refusal);
    expect(runs.map(({ run }) => names(run.file))).toEqual(counted);
  });

  it('are all of the folder for a command that shows them: it says which file is none', async () => {
    await expect(givenExports(cli())).rejects.toThrow(`${join(folder, 'a.json')}: it is not`);
  });
});
