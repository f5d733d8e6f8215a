import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HostState, NodeProcesses } from '../../activities/ports.js';
import { refusal, type ContractNode, type OpenNode } from './contract-cluster.js';
import { eventually } from './eventually.js';

/** What every implementation of `NodeProcesses` does. */
export function nodeProcessesContract(name: string, open: OpenNode): void {
  describe(`NodeProcesses on ${name}`, () => {
    let cluster: ContractNode;
    let processes: NodeProcesses;
    let node: string;
    beforeAll(async () => {
      cluster = await open();
      processes = cluster.ports.processes;
      node = cluster.node;
    });
    afterAll(async () => {
      await cluster.close();
    });

    const running = (): Promise<HostState> =>
      eventually(cluster.patienceMs, async () => {
        const host = await processes.host(node);
        return host.processes.length > 0 ? host : null;
      });

    it("reads the managers from the host's process table", async () => {
      const { hostname, bootId, bootTimeMs, nowMs, processes: seen } = await running();
      expect(hostname).not.toBe('');
      expect(bootId).not.toBe('');
      expect(seen).toHaveLength(1);
      const [kcm] = seen;
      expect(kcm).toMatchObject({ manager: 'kcm', paused: false });
      expect(kcm?.arguments).toContainEqual(expect.stringMatching(/^--/));
      expect(kcm?.startedAtMs).toBeGreaterThanOrEqual(bootTimeMs);
      expect(kcm?.startedAtMs).toBeLessThanOrEqual(nowMs);
    });

    it('reads the metrics of a manager that listens, and null where none does', async () => {
      // A manager listens before it takes part in any election.
      await eventually(cluster.patienceMs, async () => {
        const text = await processes.metrics(node, 'kcm');
        return text?.includes('leader_election_master_status') === true ? text : null;
      });
      expect(await processes.metrics(node, 'ccm')).toBeNull();
    });

    it('reads a whole observation at once: host, files present and absent, folders, election series', async () => {
      const folder = '/etc/kubernetes/manifests';
      const manifest = `${folder}/kube-controller-manager.yaml`;
      await running();
      const seen = await eventually(cluster.patienceMs, async () => {
        const wanted = { files: [manifest, `${folder}/absent`], directories: [folder, '/absent'] };
        const snapshot = await processes.snapshot(node, wanted);
        return (snapshot.elections.kcm ?? '') === '' ? null : snapshot;
      });
      const { hostname, bootId } = await processes.host(node);
      expect(seen.host).toMatchObject({ hostname, bootId });
      const file = await cluster.ports.files.read(node, manifest);
      expect(seen.files.get(manifest)).toEqual(file);
      expect(seen.files.get(`${folder}/absent`)).toBeNull();
      expect(seen.directories.get(folder)).toContainEqual({
        name: 'kube-controller-manager.yaml',
        hash: file?.hash,
      });
      expect(seen.directories.get('/absent')).toEqual([]);
      expect(seen.elections.kcm).toMatch(/leader_election_master_status\{name="/);
      expect(seen.elections.ccm).toBeNull();
    });

    it('ends a stopped process for the newest run only, and treats an absent one as ended', async () => {
      const [before] = (await running()).processes;
      const { pid = 0, startTicks } = before ?? {};
      if (typeof startTicks !== 'number') throw new Error('the host reports no start');
      const named = { pid, startTicks };
      const pids = async (): Promise<readonly number[]> =>
        (await processes.host(node)).processes.map((one) => one.pid);
      await processes.kill(node, { pid: 4_000_000, startTicks }, { epoch: 5 });
      expect(await refusal(processes.kill(node, named, { epoch: 5 }))).toMatchObject({
        type: 'PreconditionFailed',
      });
      cluster.pauseKcm();
      expect((await processes.host(node)).processes).toMatchObject([{ pid, paused: true }]);
      // Another process that had the same id: it is gone, and its successor stays.
      await processes.kill(node, { pid, startTicks: startTicks + 1 }, { epoch: 5 });
      expect(await refusal(processes.kill(node, named, { epoch: 4 }))).toMatchObject({
        type: 'FenceLost',
      });
      expect(await pids()).toContain(pid);
      cluster.resumeKcm();
      expect(await refusal(processes.kill(node, named, { epoch: 5 }))).toMatchObject({
        type: 'PreconditionFailed',
      });
      expect(await pids()).toContain(pid);
      cluster.pauseKcm();
      await processes.kill(node, named, { epoch: 5 });
      expect(await pids()).not.toContain(pid);
      await processes.kill(node, named, { epoch: 5 });
    });

    it('returns no proof about an unknown node', async () => {
      for (const attempt of [
        processes.host('no-such-node'),
        processes.metrics('no-such-node', 'kcm'),
        processes.kill('no-such-node', { pid: 1, startTicks: 1 }, { epoch: 5 }),
      ]) {
        expect(await refusal(attempt)).toMatchObject({ type: 'Unreachable' });
      }
    });
  });
}
