import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { providerFlag } from '../../activities/observe/kubelet-flags.js';
import { KUBELET_FLAGS } from '../../activities/node-paths.js';
import type {
  ClusterPorts,
  KubeletOrder,
  KubeletProcess,
  NodeFile,
} from '../../activities/ports.js';
import { refusal, type ContractCluster, type OpenCluster } from './contract-cluster.js';
import { eventually } from './eventually.js';

/** What every implementation of `NodeKubelets` does. Tests build on each other; epochs rise as on a real node. */
export function nodeKubeletsContract(name: string, open: OpenCluster): void {
  describe(`NodeKubelets on ${name}`, () => {
    let cluster: ContractCluster;
    let ports: ClusterPorts;
    let node: string;
    beforeAll(async () => {
      cluster = await open();
      ports = cluster.ports;
      node = cluster.node;
    });
    afterAll(async () => {
      await cluster.close();
    });

    const kubelet = (): Promise<KubeletProcess> =>
      eventually(cluster.patienceMs, async () => {
        const { kubelets } = await ports.processes.host(node);
        return kubelets.length === 1 ? (kubelets[0] ?? null) : null;
      });
    const flags = async (): Promise<NodeFile> => {
      const file = await ports.files.read(node, KUBELET_FLAGS);
      if (file === null) throw new Error(`${node} has no ${KUBELET_FLAGS}`);
      return file;
    };
    /** Writes the flag as a step does, and the restart order that belongs to it. */
    const ordered = async (cloudProvider: string, epoch: number): Promise<KubeletOrder> => {
      const { content, hash } = await flags();
      const next = content.replace(/--cloud-provider=\w+/, `--cloud-provider=${cloudProvider}`);
      await ports.files.write(node, KUBELET_FLAGS, next, { expect: hash, epoch });
      return orderFor(cloudProvider, epoch);
    };
    const orderFor = async (cloudProvider: string, epoch: number): Promise<KubeletOrder> => {
      return { cloudProvider, flags: { path: KUBELET_FLAGS, hash: (await flags()).hash }, epoch };
    };

    it('reads the running kubelet, with the arguments that it was started with', async () => {
      const { pid, startTicks, startedAtMs, arguments: words } = await kubelet();
      const { bootTimeMs, nowMs, processes } = await ports.processes.host(node);
      expect(startTicks).toBeGreaterThanOrEqual(0);
      expect(startedAtMs).toBeGreaterThanOrEqual(bootTimeMs);
      expect(startedAtMs).toBeLessThanOrEqual(nowMs);
      expect(words).toContainEqual(expect.stringMatching(/^--cloud-provider=\w+$/));
      expect(processes.map((process) => process.pid)).not.toContain(pid);
    });

    it("reads the files that the kubelet's unit starts it from, and its state", async () => {
      const { state, environmentFiles } = await ports.kubelets.unit(node);
      expect(state).toBe('active (running)');
      expect(environmentFiles).toContain(KUBELET_FLAGS);
    });

    it('leaves the kubelet alone while its flags are only written', async () => {
      const before = await kubelet();
      await ordered('external', 2);
      expect(await kubelet()).toMatchObject({ pid: before.pid, arguments: before.arguments });
    });

    it('restarts the kubelet for the newest run only, and only with its flags as they were written', async () => {
      const before = await kubelet();
      // The write tells the node of epoch 2, also when this test runs alone.
      const order = await ordered('external', 2);
      const stale = ports.kubelets.restart(node, { ...order, epoch: 1 });
      expect(await refusal(stale)).toMatchObject({ type: 'FenceLost' });
      const hash = `sha256:${'0'.repeat(64)}`;
      const edited = ports.kubelets.restart(node, {
        ...order,
        flags: { path: KUBELET_FLAGS, hash },
      });
      expect(await refusal(edited)).toMatchObject({ type: 'ForeignEdit' });
      expect(await kubelet()).toMatchObject({ pid: before.pid });
    });

    it('restarts the kubelet once: the new one runs with what is written, and is left alone after that', async () => {
      const before = await kubelet();
      const order = await orderFor('external', 2);
      expect(await ports.kubelets.restart(node, order)).toBe('restarted');
      const after = await eventually(cluster.patienceMs, async () => {
        const seen = await kubelet();
        return seen.pid === before.pid ? null : seen;
      });
      expect(providerFlag(after)).toBe('external');
      expect(await ports.kubelets.restart(node, order)).toBe('runsSo');
      expect(await kubelet()).toMatchObject({ pid: after.pid, startTicks: after.startTicks });
    });

    it('restarts the kubelet with its old flags', async () => {
      const order = await ordered('labcloud', 3);
      expect(await ports.kubelets.restart(node, order)).toBe('restarted');
      const after = await eventually(cluster.patienceMs, async () => {
        const seen = await kubelet();
        return providerFlag(seen) === 'labcloud' ? seen : null;
      });
      expect(after.arguments).not.toContain('--cloud-provider=external');
    });

    it('does not take a file that the unit does not read for the flags', async () => {
      const path = '/etc/kubernetes/ccm-migrate/not-its-flags';
      await ports.files.write(node, path, 'X="--cloud-provider=external"\n', {
        ...{ expect: 'absent', epoch: 3 },
      });
      const hash = (await ports.files.read(node, path))?.hash ?? '';
      const order = { cloudProvider: 'external', flags: { path, hash }, epoch: 3 };
      const before = await kubelet();
      expect(await refusal(ports.kubelets.restart(node, order))).toMatchObject({
        type: 'NotSupported',
      });
      expect(await kubelet()).toMatchObject({ pid: before.pid });
    });

    it('returns no proof about an unknown node', async () => {
      const order = { cloudProvider: 'external', flags: { path: '/x', hash: 'absent' }, epoch: 9 };
      for (const attempt of [
        ports.kubelets.unit('no-such-node'),
        ports.kubelets.restart('no-such-node', order),
      ]) {
        expect(await refusal(attempt)).toMatchObject({ type: 'Unreachable' });
      }
    });
  });
}
