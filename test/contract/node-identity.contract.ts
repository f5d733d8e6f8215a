import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClusterPorts } from '../../activities/ports.js';
import { digestText } from '../../domain/digest.js';
import { refusal, type ContractNode, type OpenNode, type Pretence } from './contract-cluster.js';

const FILE = '/etc/kubernetes/ccm-migrate/identity/file';
const MANIFEST = '/etc/kubernetes/manifests/kube-controller-manager.yaml';
const KEPT = '/var/lib/ccm-migrate/cluster';
const STRANGER = 'ab'.repeat(32);

/** A node answers and obeys only clients of its own cluster, whatever credentials they used. Tests build on each other. */
export function nodeIdentityContract(name: string, open: OpenNode): void {
  describe(`a node on ${name}`, () => {
    let cluster: ContractNode;
    let node: string;
    const opened: (() => Promise<void>)[] = [];
    beforeAll(async () => {
      cluster = await open();
      node = cluster.node;
    });
    afterEach(async () => {
      for (const close of opened.splice(0)) await close();
    });
    afterAll(async () => {
      await cluster.close();
    });

    const as = async (pretence: Pretence): Promise<ClusterPorts> => {
      const ports = await cluster.as(pretence);
      opened.push(() => ports.close());
      return ports;
    };
    const kept = async (): Promise<string | undefined> =>
      (await cluster.ports.files.read(node, KEPT))?.content;
    const write = (ports: ClusterPorts, content: string, expected: string, epoch: number) =>
      ports.files.write(node, FILE, content, { expect: expected, epoch });

    /** Every possible request; the writes use an epoch that would lock out every later run. */
    const attempts = ({
      files,
      processes,
      kubelets,
    }: ClusterPorts): readonly (readonly [string, () => Promise<unknown>])[] => {
      const guard = { expect: 'absent', epoch: 999 };
      const flags = { path: FILE, hash: 'absent' };
      const wanted = { files: [MANIFEST], directories: [] };
      return [
        ['read', () => files.read(node, MANIFEST)],
        ['snapshot', () => processes.snapshot(node, wanted)],
        ['host', () => processes.host(node)],
        ['metrics', () => processes.metrics(node, 'kcm')],
        ['unit', () => kubelets.unit(node)],
        ['write', () => files.write(node, FILE, 'foreign', guard)],
        ['remove', () => files.remove(node, FILE, guard)],
        ['kill', () => processes.kill(node, { pid: 4_000_000, startTicks: 1 }, { epoch: 999 })],
        ['restart', () => kubelets.restart(node, { cloudProvider: 'x', flags, epoch: 999 })],
      ];
    };

    const expectAllRefused = async (pretence: Pretence): Promise<void> => {
      for (const [what, attempt] of attempts(await as(pretence))) {
        expect([what, await refusal(attempt())]).toEqual([
          what,
          expect.objectContaining({ type: 'ForeignNode' }),
        ]);
      }
    };

    it('identifies its cluster by the authority at first contact: a stranger reads and changes nothing', async () => {
      await expectAllRefused({ certificateAuthorities: [STRANGER] });
      expect(await kept()).toBeUndefined();
      expect(await cluster.ports.files.read(node, FILE)).toBeNull();
    });

    it('is not claimed by reads', async () => {
      const { files } = await as({ uid: 'uid-of-another' });
      expect(await files.read(node, FILE)).toBeNull();
      expect(await kept()).toBeUndefined();
    });

    it('records its cluster with the first change, and refuses another cluster of the same authority', async () => {
      await write(cluster.ports, 'own', 'absent', 3);
      expect(await kept()).toMatch(/^[\w-]{1,64} [0-9a-f]{64}$/);
      await expectAllRefused({ uid: 'uid-of-another' });
      // A stranger's epoch is not stored: our next one is still the newest.
      await write(cluster.ports, 'own too', digestText('own'), 4);
    });

    it('accepts any of several authorities while they are rotated', async () => {
      const [, own = ''] = (await kept())?.split(' ') ?? [];
      const both = await as({ certificateAuthorities: [STRANGER, own] });
      expect((await both.files.read(node, FILE))?.content).toBe('own too');
      await write(both, 'exchanged', digestText('own too'), 5);
      expect((await kept())?.split(' ').slice(1)).toEqual([own]);
    });

    it('is refused when it holds the record of another cluster, with the place of the record', async () => {
      const [uid = '', own = ''] = (await kept())?.split(' ') ?? [];
      const text = `${uid} ${STRANGER}`;
      const guard = { expect: digestText(`${uid} ${own}`), epoch: 6 };
      // As left by a cluster with the same UID, restored from the same backup, and another authority.
      await cluster.ports.files.write(node, KEPT, text, guard);
      for (const [what, attempt] of attempts(cluster.ports)) {
        expect([what, await refusal(attempt())]).toEqual([
          what,
          expect.objectContaining({
            type: 'ForeignNode',
            message: expect.stringContaining(STRANGER),
          }),
        ]);
      }
    });
  });
}
