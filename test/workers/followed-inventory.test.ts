import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenedInventory, openInventory } from '../../workers/followed-inventory.js';

interface Entry {
  readonly name: string;
  readonly region?: string;
}

const inventory = (...clusters: readonly Entry[]): string =>
  [
    'apiVersion: ccm-migrate.dev/v1alpha1',
    'kind: ClusterInventory',
    'metadata: {name: all}',
    'spec:',
    '  clusters:',
    ...clusters.map(
      ({ name, region = 'eu' }) =>
        `    - {name: ${name}, region: ${region}, kubeconfig: ./kubeconfig}`,
    ),
  ].join('\n');
const named = (...names: readonly string[]): string =>
  inventory(...names.map((name) => ({ name })));

let folder: string;
let path: string;
/** What happens while the worker waits whether a file that has changed stays as it is. */
let meanwhile: () => Promise<unknown>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-inventory-'));
  path = join(folder, 'inventory.yaml');
  await writeFile(path, named('a'), { mode: 0o644 });
  meanwhile = () => Promise.resolve();
});
afterEach(() => rm(folder, { recursive: true }));

const open = (onlyOwn = true, at = path): Promise<OpenedInventory> =>
  openInventory(at, { onlyOwn, rest: () => meanwhile() });
const find = ({ findCluster }: OpenedInventory, name: string) => findCluster({ name, uid: '' });
const isWrong = (why: string) => ({ type: 'Unavailable', message: expect.stringContaining(why) });

describe('the inventory of a worker', () => {
  it('is read again when it has changed: clusters that are new, gone, and known ones', async () => {
    const opened = await open();
    expect(await find(opened, 'a')).toMatchObject({ name: 'a', region: 'eu' });
    await expect(find(opened, 'b')).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining('cluster b is not in the inventory'),
    });
    await writeFile(path, inventory({ name: 'a', region: 'us' }, { name: 'b' }));
    expect(await find(opened, 'b')).toMatchObject({ name: 'b' });
    expect(await find(opened, 'a')).toMatchObject({ name: 'a', region: 'us' });
    await writeFile(path, named('b'));
    await expect(find(opened, 'a')).rejects.toMatchObject({ type: 'InvalidInput' });
  });

  it('is followed where a mounted folder is swapped behind its links', async () => {
    for (const [version, name] of [
      ['1', 'a'],
      ['2', 'b'],
    ] as const) {
      await mkdir(join(folder, `..${version}`));
      await writeFile(join(folder, `..${version}`, 'mounted.yaml'), named(name), { mode: 0o644 });
    }
    const mounted = join(folder, 'mounted.yaml');
    await symlink('..1', join(folder, '..data'));
    await symlink('..data/mounted.yaml', mounted);
    const opened = await open(true, mounted);
    expect(await find(opened, 'a')).toMatchObject({ name: 'a' });
    await symlink('..2', join(folder, '..next'));
    await rename(join(folder, '..next'), join(folder, '..data'));
    expect(await find(opened, 'b')).toMatchObject({ name: 'b' });
    await expect(find(opened, 'a')).rejects.toMatchObject({ type: 'InvalidInput' });
  });

  it('is a whole folder: files that are new and gone', async () => {
    const opened = await open(true, folder);
    await writeFile(join(folder, 'more.yaml'), named('b').replace('all', 'more'), { mode: 0o644 });
    expect(await find(opened, 'b')).toMatchObject({ name: 'b' });
    await rm(path);
    await expect(find(opened, 'a')).rejects.toMatchObject({ type: 'InvalidInput' });
  });

  it('does not count by half while it is written in place', async () => {
    const opened = await open();
    const half = named('a');
    const parts = [`${half}\n    - {name: b, kubeconfig: k}`, `${named('a', 'b', 'c')}\n`];
    await writeFile(path, `${half}\n`);
    meanwhile = async () => {
      const next = parts.shift();
      if (next !== undefined) await writeFile(path, next);
    };
    expect(await find(opened, 'c')).toMatchObject({ name: 'c' });
    expect(parts).toEqual([]);
  });

  it('finds nothing while it never stays as it is', async () => {
    const opened = await open();
    let length = 1;
    meanwhile = () => {
      length += 1;
      return writeFile(path, `${named('a')}\n#${'.'.repeat(length)}\n`);
    };
    await writeFile(path, `${named('a')}\n`);
    await expect(find(opened, 'a')).rejects.toMatchObject(isWrong('it is being written'));
  });

  it('finds nothing while it is wrong or gone, and again when it is right', async () => {
    const opened = await open();
    for (const break_ of [() => writeFile(path, 'nonsense: ['), () => rm(path)]) {
      await break_();
      await expect(find(opened, 'a')).rejects.toMatchObject(isWrong('the inventory is wrong'));
      await expect(opened.read()).rejects.toMatchObject(isWrong(path));
      await writeFile(path, named('a'));
      expect(await find(opened, 'a')).toMatchObject({ name: 'a' });
    }
  });

  it('must be right at the start', async () => {
    await writeFile(path, 'kind: ClusterInventory');
    await expect(open()).rejects.toThrow('inventory.yaml');
  });
});

describe('an inventory that others may write', () => {
  it('is refused at the start and later, and taken where all of them are trusted', async () => {
    const opened = await open();
    await chmod(path, 0o664);
    await expect(find(opened, 'a')).rejects.toMatchObject(isWrong('others may write it'));
    await expect(open()).rejects.toThrow(`${path}: others may write it: chmod 0644`);
    expect(await find(await open(false), 'a')).toMatchObject({ name: 'a' });
    await chmod(path, 0o644);
    expect(await find(opened, 'a')).toMatchObject({ name: 'a' });
  });

  it('is refused as a folder, to which others could add one', async () => {
    await chmod(folder, 0o777);
    await expect(open(true, folder)).rejects.toThrow(`${folder}: others may write it: chmod 0755`);
    expect(await find(await open(false, folder), 'a')).toMatchObject({ name: 'a' });
  });

  it('is refused as the kubeconfig of a cluster, which can start programs', async () => {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, '', { mode: 0o600 });
    const opened = await open();
    expect(await find(opened, 'a')).toMatchObject({ kubeconfig });
    await chmod(kubeconfig, 0o666);
    await expect(find(opened, 'a')).rejects.toMatchObject(
      isWrong(`${kubeconfig}: others may write it`),
    );
    expect(await find(await open(false), 'a')).toMatchObject({ kubeconfig });
  });
});
