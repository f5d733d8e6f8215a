import { describe, expect, it } from '@jest/globals';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lintFiles, lintTree, loadFleets } from '../../config/fleet.js';
import { formatProblem } from '../../config/problems.js';
import { CCM_POD, FLEET, INVENTORY, POLICY, withFiles } from './given-files.js';

type Files = Readonly<Record<string, string>>;

const SET: Files = {
  'fleet.yaml': FLEET,
  'inventory.yaml': INVENTORY,
  'policy.yaml': POLICY,
  'ccm.yaml': CCM_POD,
};
const BROKEN = POLICY.replace('source:', 'sorce:');
const CHART = 'replicas: 3\n';

function under(folder: string, files: Files): Files {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [join(folder, name), text]),
  );
}

interface Linted {
  readonly lines: readonly string[];
  readonly documents: number;
  readonly fleets: number;
}

async function linted(folder: string, ...below: readonly string[]): Promise<Linted> {
  const paths = below.length === 0 ? [folder] : below.map((each) => join(folder, each));
  const { problems, documents, fleets } = await lintTree(paths);
  const lines = problems.map(formatProblem).map((line) => line.replaceAll(`${folder}/`, ''));
  return { lines, documents, fleets: fleets.length };
}

const lint = (files: Files): Promise<Linted> => withFiles(files, (folder) => linted(folder));

describe('a folder below the named one', () => {
  it('is a set of its own, so that each may use the same names', async () => {
    const sets = { ...under('eu/prod', SET), ...under('us', SET), ...SET };
    expect(await lint(sets)).toEqual({ lines: [], documents: 9, fleets: 3 });
  });

  it('needs no file in the folders above it', async () => {
    expect(await lint(under('eu/prod', SET))).toEqual({ lines: [], documents: 3, fleets: 1 });
  });

  it('is reported with all its problems, at their path', async () => {
    const sets = { ...under('a/b', { ...SET, 'policy.yaml': BROKEN }), ...under('c', SET) };
    const { lines } = await lint({ ...sets, 'inventory.yaml': 'kind: [' });
    expect(lines).toContainEqual(expect.stringMatching(/^inventory\.yaml:1:8: /));
    expect(lines).toContainEqual(
      expect.stringMatching(/^a\/b\/policy\.yaml:5:3: spec\.sorce: unknown key/),
    );
    expect(lines.filter((line) => line.startsWith('c/'))).toEqual([]);
  });

  it('finds what it names in itself alone', async () => {
    const { 'policy.yaml': policy = '', ...rest } = SET;
    const { lines } = await lint({
      ...under('a', rest),
      'policy.yaml': policy,
      'ccm.yaml': CCM_POD,
    });
    expect(lines).toEqual([
      expect.stringMatching(/^a\/fleet\.yaml:6:11: spec\.policy: no such policy/),
    ]);
  });

  it('has unique names', async () => {
    const { lines } = await lint(under('a', { ...SET, 'more.yaml': INVENTORY }));
    expect(lines).toContainEqual(expect.stringMatching(/^a\/more\.yaml:.* is already defined/));
  });

  it('is ignored unless one of its files claims to be ours', async () => {
    const others = {
      ...under('chart', { 'values.yaml': CHART, 'broken.yaml': 'a: [' }),
      ...under('.git/x', { 'policy.yaml': BROKEN }),
      ...under('node_modules/x', { 'policy.yaml': BROKEN }),
    };
    expect(await lint({ ...SET, ...others })).toMatchObject({ lines: [], documents: 3 });
    const none = await lint(others);
    expect(none.lines).toEqual([expect.stringContaining('no .yaml, .yml or .json file')]);
  });

  it('is checked as a whole when one file does, like a folder that was named', async () => {
    const { lines } = await lint(under('a', { ...SET, 'values.yaml': CHART }));
    expect(lines).toEqual([expect.stringMatching(/^a\/values\.yaml:1:1: kind: required/)]);
  });

  it.each([
    ['a broken document', 'apiVersion: ccm-migrate.dev/v1alpha1\nkind: [\n'],
    ['JSON in one line', '{"apiVersion" : "ccm-migrate.dev/v2","kind":"Nothing"}'],
    ['a kind of ours with a wrong group', 'apiVersion: ccm/v1\nkind: MigrationPolicy\n'],
  ])('is checked for the sake of %s', async (_what, text) => {
    expect((await lint(under('a', { 'x.yaml': text }))).lines).toContainEqual(
      expect.stringMatching(/^a\/x\.yaml:/),
    );
  });

  it('is read once when it is named too', async () => {
    await withFiles({ ...under('top/a', SET), ...under('top/b', SET) }, async (folder) => {
      expect(await linted(folder, 'top', 'top/a')).toMatchObject({ documents: 6, fleets: 2 });
    });
  });

  it('is read by lint alone: other commands read only what is named', async () => {
    await withFiles(under('a', SET), async (folder) => {
      await expect(loadFleets([folder])).rejects.toThrow('no .yaml, .yml or .json file');
      expect((await lintFiles([join(folder, 'a')])).problems).toEqual([]);
    });
  });
});

describe('a link', () => {
  it('to a folder is not followed, so that none leads out or in a circle', async () => {
    await withFiles(
      { ...under('in', SET), ...under('out', { 'p.yaml': BROKEN }) },
      async (folder) => {
        await symlink('..', join(folder, 'in', 'circle'));
        await symlink('../out', join(folder, 'in', 'away'));
        expect(await linted(folder, 'in')).toMatchObject({ lines: [], documents: 3 });
      },
    );
  });

  it('to a file is followed within the folder that was named, and reported when it leads out', async () => {
    const { 'policy.yaml': policy = '', ...rest } = SET;
    const files = { ...under('in/a', rest), ...under('in/shared', { 'policy.yaml': policy }) };
    await withFiles(
      { ...files, 'in/shared/ccm.yaml': CCM_POD, 'out.yaml': BROKEN },
      async (folder) => {
        await symlink('../shared/policy.yaml', join(folder, 'in/a/policy.yaml'));
        expect(await linted(folder, 'in')).toMatchObject({ lines: [], fleets: 1 });
        await symlink('../../out.yaml', join(folder, 'in/a/out.yaml'));
        expect((await linted(folder, 'in')).lines).toEqual([
          'in/a/out.yaml:1:1: a link out of the folder that was named (CCM5016)',
        ]);
      },
    );
  });
});

describe('lint reports what is too much and never skips it', () => {
  it('lint reports folders that are too deep', async () => {
    const at = (depth: number): string => join(...Array.from({ length: depth }, () => 'd'));
    expect(await lint(under(at(8), SET))).toMatchObject({ lines: [], documents: 3 });
    const { lines, documents } = await lint(under(at(9), SET));
    expect(documents).toBe(0);
    expect(lines).toContain(
      `${at(9)}:1:1: deeper than 8 folders, not looked at: name the folders of fleets (CCM5015)`,
    );
  });

  it('lint reports too many folders', async () => {
    await withFiles(SET, async (folder) => {
      await Promise.all([...Array(1_010).keys()].map((each) => mkdir(join(folder, String(each)))));
      const { lines } = await linted(folder);
      expect(lines).toEqual([expect.stringMatching(/^\d+:1:1: more than 1000 folders.*CCM5015/)]);
    });
  });

  it('lint reports too many files', async () => {
    await withFiles({ ...SET, ...under('b', SET) }, async (folder) => {
      await mkdir(join(folder, 'a'));
      await Promise.all(
        [...Array(2_001).keys()].map((each) =>
          writeFile(join(folder, 'a', `${String(each)}.yaml`), ''),
        ),
      );
      const { lines } = await linted(folder);
      expect(lines).toEqual([expect.stringMatching(/^a:1:1: more than 2000 files.*CCM5015/)]);
    });
  });
});
