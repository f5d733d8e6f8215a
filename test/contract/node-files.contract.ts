import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NodeFiles } from '../../activities/ports.js';
import { digestText } from '../../domain/digest.js';
import { refusal, type ContractCluster, type OpenCluster } from './contract-cluster.js';

const FOLDER = '/etc/kubernetes/ccm-migrate/contract';
const CONTENT = '# naïve\nkind: Pod\nspec:\n  a: "*"\n';

/** What every implementation of `NodeFiles` does. Epochs rise from test to test, as on a real node. */
export function nodeFilesContract(name: string, open: OpenCluster): void {
  describe(`NodeFiles on ${name}`, () => {
    let cluster: ContractCluster;
    let files: NodeFiles;
    let node: string;
    beforeAll(async () => {
      cluster = await open();
      files = cluster.ports.files;
      node = cluster.node;
    });
    afterAll(async () => {
      await cluster.close();
    });

    it('returns null for an absent file and nothing for an absent folder', async () => {
      expect(await files.read(node, `${FOLDER}/absent.yaml`)).toBeNull();
      const absent = `${FOLDER}/absent`;
      const wanted = { files: [], directories: [absent] };
      const { directories } = await cluster.ports.processes.snapshot(node, wanted);
      expect(directories.get(absent)).toEqual([]);
    });

    it('returns exactly what was written, with its digest', async () => {
      const path = `${FOLDER}/exact.yaml`;
      await files.write(node, path, CONTENT, { expect: 'absent', epoch: 1 });
      const hash = digestText(CONTENT);
      expect(await files.read(node, path)).toMatchObject({ path, content: CONTENT, hash });
      const { processes } = cluster.ports;
      const { directories } = await processes.snapshot(node, { files: [], directories: [FOLDER] });
      expect(directories.get(FOLDER)).toContainEqual({ name: 'exact.yaml', hash });
    });

    it('lets all users of a node read a new file only where that is wanted; one that is there keeps its mode', async () => {
      const [open, closed] = [`${FOLDER}/open.yaml`, `${FOLDER}/closed.yaml`];
      await files.write(node, open, 'one', { expect: 'absent', epoch: 1, isForAll: true });
      await files.write(node, closed, 'one', { expect: 'absent', epoch: 1 });
      const modes = async (): Promise<unknown> =>
        Promise.all([open, closed].map(async (path) => (await files.read(node, path))?.mode));
      expect(await modes()).toEqual(['0644', '0600']);
      const replaced = { expect: digestText('one'), epoch: 1 };
      await files.write(node, open, 'two', replaced);
      await files.write(node, closed, 'two', { ...replaced, isForAll: true });
      expect(await modes()).toEqual(['0644', '0600']);
    });

    it("reads by the node's clock when a file last changed", async () => {
      const path = `${FOLDER}/changed.yaml`;
      const { processes } = cluster.ports;
      const clock = async (): Promise<number> => (await processes.host(node)).nowMs;
      const moments = [await clock()];
      for (const [text, expected] of [
        ['one', 'absent'],
        ['two', digestText('one')],
      ] as const) {
        await files.write(node, path, text, { expect: expected, epoch: 1 });
        const seen = await processes.snapshot(node, { files: [path], directories: [] });
        moments.push(seen.files.get(path)?.changedAtMs ?? Number.NaN, await clock());
      }
      expect(moments).toEqual([...moments].sort((a, b) => a - b));
      expect((await files.read(node, path))?.changedAtMs).toBe(moments[3]);
    });

    it('preserves an edit that it did not expect', async () => {
      const path = `${FOLDER}/edited.yaml`;
      await files.write(node, path, 'theirs', { expect: 'absent', epoch: 1 });
      for (const expected of ['absent', digestText('ours')]) {
        const guard = { expect: expected, epoch: 1 };
        const write = files.write(node, path, 'next', guard);
        expect(await refusal(write)).toMatchObject({ type: 'ForeignEdit' });
        const remove = files.remove(node, path, guard);
        expect(await refusal(remove)).toMatchObject({ type: 'ForeignEdit' });
      }
      expect((await files.read(node, path))?.content).toBe('theirs');
    });

    it('replaces and removes what it expected; removing what is absent is done', async () => {
      const path = `${FOLDER}/replaced.yaml`;
      await files.write(node, path, 'one', { expect: 'absent', epoch: 1 });
      await files.write(node, path, 'two', { expect: digestText('one'), epoch: 1 });
      expect((await files.read(node, path))?.content).toBe('two');
      await files.remove(node, path, { expect: digestText('two'), epoch: 1 });
      expect(await files.read(node, path)).toBeNull();
      await files.remove(node, path, { expect: 'absent', epoch: 1 });
    });

    it('refuses an older epoch, whatever content it expects, once a newer one has written', async () => {
      const path = `${FOLDER}/fenced.yaml`;
      await files.write(node, path, 'newer', { expect: 'absent', epoch: 8 });
      const stale = { expect: digestText('newer'), epoch: 7 };
      expect(await refusal(files.write(node, path, 'older', stale))).toMatchObject({
        type: 'FenceLost',
      });
      expect(await refusal(files.remove(node, path, stale))).toMatchObject({ type: 'FenceLost' });
      expect((await files.read(node, path))?.content).toBe('newer');
    });

    it('does not take an unknown node for an absent file', async () => {
      const path = `${FOLDER}/x`;
      for (const attempt of [
        files.read('no-such-node', path),
        files.write('no-such-node', path, '', { expect: 'absent', epoch: 9 }),
      ]) {
        expect(await refusal(attempt)).toMatchObject({ type: 'Unreachable' });
      }
    });

    it('refuses node names that would escape their path', async () => {
      expect(await refusal(files.read('../../other', '/x'))).toMatchObject({
        type: 'InvalidInput',
      });
    });
  });
}
