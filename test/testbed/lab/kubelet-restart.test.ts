import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster, type ConnectedCluster } from '../../../activities/adapters/connect.js';
import { closeTransports } from '../../../activities/adapters/shared-transports.js';
import type { RunContext } from '../../../activities/contract.js';
import { quietScope, realClock } from '../../../activities/dependencies.js';
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import { standInGuard } from '../../support/stand-in-guard.js';
import { NO_JUDGEMENTS, planned } from '../../support/planned.js';
import { createActivities } from '../../../activities/index.js';
import { KUBELET_FLAGS } from '../../../activities/node-paths.js';
import { providerFlag } from '../../../activities/observe/kubelet-flags.js';
import type { NodeCondition, NodeObject } from '../../../activities/observe/objects.js';
import type { KubeletProcess } from '../../../activities/ports.js';
import type { Inventory } from '../../../domain/observation/observation.js';
import type { StepEffect } from '../../../domain/decision/step.js';
import { openLab, type Lab } from '../../../testbed/lab/lab.js';
import { TIMINGS } from '../../activities/run-context.js';
import { simulatorPolicy } from '../../activities/simulator-policy.js';
import { nodeKubeletsContract } from '../../contract/node-kubelets.contract.js';
import { leftOut } from './wanted.js';

const VERSION = process.env['CCM_TEST_LAB_VERSION'] ?? '1.30.14';
const WORKER = 'worker-1';

jest.setTimeout(900_000);

interface Environment {
  readonly lab: Lab;
  readonly ports: ConnectedCluster;
  readonly uid: string;
  readonly connect: () => Promise<ConnectedCluster>;
}

/** A real cluster whose nodes are reached as operators reach theirs: over SSH. */
async function openEnvironment(): Promise<Environment> {
  const lab = await openLab({
    ...{ nodes: 1, workers: 1, from: VERSION, to: VERSION, env: process.env },
    report: (line) => void process.stderr.write(`${line}\n`),
  });
  const [cluster] = lab.clusters;
  if (cluster === undefined) throw new Error('a lab without a cluster');
  const accesses = cluster.nodes.map((node) => [node.name, node.sshAccess] as const);
  const [[, first] = []] = accesses;
  const hosts = Object.fromEntries(
    accesses.map(([name, { address, hostKey }]) => [name, { address, hostKeys: [hostKey] }]),
  );
  const connect = (): Promise<ConnectedCluster> =>
    connectCluster({
      name: cluster.name,
      kubeconfig: cluster.kubeconfig,
      nodeAccess: {
        ...{ kind: 'ssh', user: 'root', port: 22, sudo: false, hosts },
        identityFile: first?.keyFile ?? '',
      },
      machinesApi: null,
      allow: { exec: false, fileReferences: false },
    });
  const ports = await connect();
  const system = await ports.api.get({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' });
  return { lab, ports, connect, uid: system?.object.metadata?.uid ?? '' };
}

const why = leftOut(5);
if (why === null) {
  const environment = (() => {
    let opened: Promise<Environment> | null = null;
    return () => (opened ??= openEnvironment());
  })();
  afterAll(async () => {
    const { lab, ports } = await environment();
    await ports.close();
    await closeTransports();
    await lab.close();
  });
  nodeKubeletsContract('a real kubelet', async () => ({
    ports: { ...(await environment()).ports, machines: null },
    // Its epochs belong to no run: these stories have a separate node.
    node: 'cp-1',
    order: { side: 'source', version: VERSION },
    patienceMs: 60_000,
    close: () => Promise.resolve(),
  }));
  describe('a lab worker survives the switch of its kubelet', () => stories(environment));
} else {
  describe.skip(`a lab worker survives the switch of its kubelet (${why})`, () =>
    it('kubelets of the lab need root, Linux and Go', () => undefined));
}

function stories(environment: () => Promise<Environment>): void {
  let folder: string;
  let taken = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-kubelet-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** One step by the product's own activities, in a new epoch. */
  const take = async (
    to: 'inTree' | 'external',
    cloudProvider = 'labcloud',
  ): Promise<Inventory['workers']> => {
    const { connect, ports, uid, lab } = await environment();
    taken += 1;
    const source = { ...simulatorPolicy().source, cloudProvider };
    const rollWorkers = { enabled: true, batchSize: 1 };
    const context: RunContext = {
      cluster: { name: lab.clusters[0]?.name ?? '', uid },
      ...{ workflowId: `cluster-migration/${uid}`, runId: 'run-1', planDigest: 'sha256:plan' },
      ...{ actor: 'ana', reason: 'kubelets', policy: simulatorPolicy({ source, rollWorkers }) },
      // Requests may take long on a busy machine.
      timings: { ...TIMINGS, requestMs: 40_000, fenceRenewMs: 240_000, effectMs: 45_000 },
    };
    const guard = standInGuard(ports.api, context.timings);
    const activities = createActivities({
      connect: async () => {
        const connection = await connect();
        return { ...connection, ...guard.beside(connection) };
      },
      evidence: createFileEvidenceStore(join(folder, 'evidence')),
      build: 'test',
      clock: realClock,
      log: { info: () => undefined, warn: () => undefined },
      scope: () => quietScope(),
    });
    const { epoch } = await activities.takeFence({
      ...{ ...context, nonce: `nonce-${taken}`, acknowledge: true },
    });
    const { firstSeen } = await activities.observeCluster({
      ...{ ...context, epoch, decide: NO_JUDGEMENTS, firstSeen: [] },
    });
    const effect: StepEffect = { kind: 'switchKubelets', to, batchSize: 1 };
    const report = await activities.executeStep({
      ...context,
      epoch,
      decide: NO_JUDGEMENTS,
      planned: planned({
        ...{ name: 'rollWorkers', phase: 'rollWorkers', why: 'test', cures: [], effect },
      }),
      materials: { ccmManifest: '' },
      firstSeen,
    });
    process.stderr.write(
      `${report.summary.detail} (${String(report.summary.durationMs)} ms, ${String(report.summary.mutations)} mutations)\n`,
    );
    return report.observation.inventory.workers;
  };
  const kubelet = async (): Promise<KubeletProcess | undefined> => {
    const { ports } = await environment();
    return (await ports.processes.host(WORKER)).kubelets[0];
  };
  const flags = async (): Promise<string> => {
    const { ports } = await environment();
    return (await ports.files.read(WORKER, KUBELET_FLAGS))?.content ?? '';
  };

  const readyCondition = async (): Promise<NodeCondition | undefined> => {
    const { ports } = await environment();
    const node = await ports.api.get<NodeObject>({ apiVersion: 'v1', kind: 'Node', name: WORKER });
    return node?.object.status?.conditions?.find(({ type }) => type === 'Ready');
  };

  it('a switched kubelet runs with the new provider, proven by its arguments and a heartbeat of its own', async () => {
    const before = await kubelet();
    expect(await take('external')).toMatchObject({ kubeletExternal: 1, kubeletInTree: 0 });
    const after = await kubelet();
    expect(after?.pid).not.toBe(before?.pid);
    expect(after && providerFlag(after)).toBe('external');
    const ready = await readyCondition();
    expect(ready?.status).toBe('True');
    const startedAtSeconds = Math.floor((after?.startedAtMs ?? Infinity) / 1000);
    const heartbeat = Date.parse(ready?.lastHeartbeatTime ?? '');
    expect(heartbeat).toBeGreaterThanOrEqual(startedAtSeconds * 1000);
  });

  it('a kubelet that already runs with the provider is left alone', async () => {
    const before = await kubelet();
    await take('external');
    expect(await kubelet()).toMatchObject({ pid: before?.pid, startTicks: before?.startTicks });
  });

  it('a kubelet gets its old flags back when it cannot start with the new ones, and the step reports why', async () => {
    const before = await flags();
    await expect(take('inTree', 'nosuchcloud')).rejects.toMatchObject({
      type: 'EffectNotSeen',
      message: expect.stringContaining('Its old flags are back and it works with them'),
    });
    expect(await flags()).toBe(before);
    const after = await kubelet();
    expect(after && providerFlag(after)).toBe('external');
  });

  it('a kubelet is switched back to its old provider', async () => {
    expect(await take('inTree')).toMatchObject({ kubeletExternal: 0, kubeletInTree: 1 });
    const after = await kubelet();
    expect(after && providerFlag(after)).toBe('labcloud');
  });
}
