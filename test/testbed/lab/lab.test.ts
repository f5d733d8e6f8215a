import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiClient } from '../../../testbed/lab/cluster/api-client.js';
import { USERS } from '../../../testbed/lab/cluster/pki.js';
import { askLab } from '../../../testbed/lab/daemon/control-client.js';
import { letHappen } from '../../../testbed/lab/faults.js';
import { openLab, type Lab } from '../../../testbed/lab/lab.js';
import { isNothing, remainsOf } from '../../../testbed/lab/lifecycle/clean.js';
import { eventually } from '../../contract/eventually.js';
import { describeInLab } from './wanted.js';

const VERSION = process.env['CCM_TEST_LAB_VERSION'] ?? '1.30.14';
const PROGRAM = fileURLToPath(new URL('../../../dist/testbed/lab/main.js', import.meta.url));
const PATIENCE_MS = 120_000;

const KCM_LEASE =
  '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';

jest.setTimeout(1_800_000);

const ANSWERS_WITHIN_MS = 3_000;

/** Whether sshd of a node accepts a connection from here. */
async function answersOn(address: string): Promise<boolean> {
  const socket = connect({ host: address, port: 22 });
  try {
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    return await once(socket, 'connect', { signal }).then(
      () => true,
      () => false,
    );
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

const SMALL = {
  nodes: 1,
  from: VERSION,
  to: VERSION,
  env: process.env,
  report: (line: string) => void process.stderr.write(`${line}\n`),
};

/** The processes that listen on a node before any migration. */
const JOBS = ['kube-apiserver', 'kube-controller-manager', 'kubelet'];

/** Labels of the targets that a Prometheus currently reaches. */
async function asked(url: string, query: string): Promise<readonly Record<string, string>[]> {
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data } = (await answer.json()) as {
    data: { result: { metric: Record<string, string> }[] };
  };
  return data.result.map(({ metric }) => metric);
}

/** Processes that manage the clusters of a lab. */
function managersOf({ clusters }: Lab): readonly (readonly number[])[] {
  return clusters.map((cluster) => cluster.node('cp-1').managerProcesses('kcm'));
}

describeInLab('a lab serves real clusters and leaves nothing behind', () => {
  describe('two clusters of a lab work side by side', () => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await openLab({ ...SMALL, clusters: 2, prometheus: true });
    });
    afterAll(async () => {
      await lab.close();
    });

    it('a lab tells a command of another process which process owns the lab', async () => {
      const holder = `lab ${lab.number} belongs to process ${process.pid}, which`;
      await expect(askLab(lab.number, 'GET', '/status')).rejects.toThrow(holder);
      await expect(askLab(15, 'GET', '/status')).rejects.toThrow('no lab 15 is up');
    });

    it('a lab has a Node that the in-tree provider named', async () => {
      const [cluster] = lab.clusters;
      const node = await cluster?.api.must('GET', '/api/v1/nodes/cp-1');
      expect(node).toMatchObject({ spec: { providerID: 'labcloud://cp-1' } });
    });

    it('a lab gives a Service its load balancer, and the journal names the KCM as its maker', async () => {
      const [cluster] = lab.clusters;
      const path = '/api/v1/namespaces/default/services';
      await cluster?.api.ensure(path, {
        metadata: { name: 'web' },
        spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80 }] },
      });
      const address = await eventually(PATIENCE_MS, async () => {
        const seen = JSON.stringify(await cluster?.api.must('GET', `${path}/web`));
        return /"ingress":\[\{"ip":"(203\.0\.113\.\d+)"/.exec(seen)?.[1] ?? null;
      });
      expect([...(cluster?.cloud.loadBalancers.values() ?? [])]).toMatchObject([{ address }]);
      const calls = lab.cloud.journal().filter(({ op }) => op === 'EnsureLoadBalancer');
      expect(calls.length).toBeGreaterThan(0);
      expect(new Set(calls.map(({ component }) => component))).toEqual(
        new Set(['kube-controller-manager']),
      );
      expect(calls[0]).toMatchObject({
        cluster: 'lab-1',
        node: 'cp-1',
        version: `v${VERSION}`,
        args: { service: 'default/web' },
      });
    });

    it('a lab keeps its clusters apart: a user or Service of one is unknown in the other', async () => {
      const [first, second] = lab.clusters;
      if (first === undefined || second === undefined) throw new Error('no two clusters');
      const { certificatePem } = second.pki.authority;
      const stranger = new ApiClient(
        second.server,
        certificatePem,
        first.pki.issue(USERS.superAdmin),
      );
      try {
        expect(await stranger.send('GET', '/api/v1/nodes')).toMatchObject({ status: 401 });
      } finally {
        stranger.close();
      }
      expect(await second.api.send('GET', '/api/v1/nodes/cp-1')).toMatchObject({ status: 200 });
      expect(second.node('cp-1').address).not.toBe(first.node('cp-1').address);
      const made = lab.cloud.journal().filter(({ op }) => op === 'EnsureLoadBalancer');
      expect(new Set(made.map(({ cluster }) => cluster))).toEqual(new Set(['lab-1']));
      expect(second.cloud.loadBalancers.size).toBe(0);
      // The managers of the other cluster call too, for their own objects.
      await eventually(PATIENCE_MS, async () => {
        const calls = lab.cloud.journal().map(({ cluster, op }) => `${cluster} ${op}`);
        return calls.includes('lab-2 CreateRoute') ? calls : null;
      });
    });

    it('a lab has a route for the Node, made by the KCM', async () => {
      const made = await eventually(
        PATIENCE_MS,
        async () => lab.cloud.journal().find(({ op }) => op === 'CreateRoute') ?? null,
      );
      expect(made).toMatchObject({ component: 'kube-controller-manager', args: { node: 'cp-1' } });
    });

    it('a lab shows the writer of each Lease in the audit log, and what a manager runs in its metrics', async () => {
      const [cluster] = lab.clusters;
      const audit = readFileSync(cluster?.apiServer.auditLog ?? '', 'utf8');
      expect(audit).toMatch(
        /"username":"system:kube-controller-manager".*"resource":"leases".*"name":"kube-controller-manager"/,
      );
      const node = cluster?.node('cp-1');
      if (cluster === undefined || node === undefined) throw new Error('no cluster');
      const { text } = await cluster.askManager(node, 'kcm', '/metrics');
      expect(text).toMatch(/running_managed_controllers\{[^}]*name="service"[^}]*\} 1/);
    });

    it('a lab has a Prometheus for each cluster, of its own API server, kubelet and managers', async () => {
      for (const { name, prometheus } of lab.clusters) {
        const url = prometheus?.url ?? '';
        const up = await eventually(PATIENCE_MS, async () => {
          const seen = await asked(url, 'up == 1');
          return seen.length === JOBS.length ? seen : null;
        });
        expect(up.map(({ job }) => job).sort()).toEqual(JOBS);
        expect(up.find(({ job }) => job === 'kube-apiserver')).toMatchObject({ instance: name });
        const [leader, ...others] = await eventually(PATIENCE_MS, async () => {
          const seen = await asked(url, 'leader_election_master_status == 1');
          return seen.length > 0 ? seen : null;
        });
        expect(leader).toMatchObject({ instance: 'cp-1', name: 'kube-controller-manager' });
        expect(others).toEqual([]);
      }
    });

    it('a lab cannot reach a node whose cable is cut, and finds it unchanged when the cable is repaired', async () => {
      const [cluster] = lab.clusters;
      const node = cluster?.node('cp-1');
      if (cluster === undefined || node === undefined) throw new Error('no cluster');
      expect(await answersOn(node.address)).toBe(true);
      await letHappen(lab, cluster, { kind: 'cutNetwork', node: 'cp-1' });
      expect(await answersOn(node.address)).toBe(false);
      // The node lives on without knowing.
      expect(await cluster.askManager(node, 'kcm', '/healthz')).toMatchObject({ status: 200 });
      await letHappen(lab, cluster, { kind: 'mendNetwork', node: 'cp-1' });
      const mendedAtMs = Date.now();
      await eventually(PATIENCE_MS, async () => ((await answersOn(node.address)) ? 'yes' : null));
      // And outbound from the node: its manager renews its Lease again.
      await eventually(PATIENCE_MS, async () => {
        const lease = await cluster.api.must('GET', KCM_LEASE);
        const renewed = /"renewTime":"([^"]+)"/.exec(JSON.stringify(lease))?.[1] ?? '';
        return Date.parse(renewed) > mendedAtMs ? renewed : null;
      });
    });

    it('a lab keeps its number to itself, and says how another one is started beside it', async () => {
      const taken = openLab({ ...SMALL, lab: lab.number });
      await expect(taken).rejects.toThrow(`lab ${lab.number} is already running`);
      await expect(taken).rejects.toThrow(/beside it: npm run lab -- up --lab \d+$/);
    });

    it('a lab leaves nothing when its owner is killed, and takes nothing of the one beside it along', async () => {
      const words = ['daemon', '--lab', '31', '--nodes', '1', '--from', VERSION, '--to', VERSION];
      const owner = spawn(process.execPath, [PROGRAM, ...words], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [first]: unknown[] = await once(owner.stdout, 'data');
      expect(String(first)).toContain('ready');
      expect(isNothing(remainsOf(31))).toBe(false);
      const beside = managersOf(lab);
      owner.kill('SIGKILL');
      await eventually(PATIENCE_MS, async () => (isNothing(remainsOf(31)) ? 'gone' : null));
      expect(managersOf(lab)).toEqual(beside);
      for (const cluster of lab.clusters) {
        expect(await cluster.api.send('GET', '/api/v1/nodes/cp-1')).toMatchObject({ status: 200 });
        expect(await answersOn(cluster.node('cp-1').address)).toBe(true);
      }
    });

    it('a lab is gone when it is closed', async () => {
      await lab.close();
      expect(remainsOf(lab.number)).toMatchObject({ processes: [], folders: [], links: [] });
      expect(isNothing(remainsOf(lab.number))).toBe(true);
    });
  });

  it('a lab leaves nothing when its start fails, and says why', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-lab-'));
    const broken = join(folder, 'unshare');
    writeFileSync(broken, '#!/bin/sh\necho no namespaces today >&2\nexit 3\n');
    chmodSync(broken, 0o755);
    try {
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
      await expect(openLab({ ...SMALL, lab: 30, env })).rejects.toThrow('no namespaces today');
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(isNothing(remainsOf(30))).toBe(true);
    expect(existsSync('/srv/ccm-migrate-lab/30')).toBe(false);
  });
});
