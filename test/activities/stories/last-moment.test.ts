import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import { failure } from '../../../activities/failures.js';
import { createActivities } from '../../../activities/index.js';
import { backupPath, manifestPath, nextPath } from '../../../activities/node-paths.js';
import type { ClusterPorts, Machines, ObjectRef } from '../../../activities/ports.js';
import type { LeaseObject } from '../../../activities/lease-reading.js';
import { digestText } from '../../../domain/digest.js';
import { enabling } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';
import { runByHand } from '../run-by-hand.js';

const FENCE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: 'kube-system',
  name: 'ccm-migrate',
} as const;
const MAIN = { ...FENCE, name: 'kube-controller-manager' } as const;

/** Called right before a request of ours reaches the cluster; returns what to do after it. */
interface Hooks {
  before: (what: string) => Promise<void> | void;
  after: (what: string) => Promise<void> | void;
  order: (key: string) => void;
}

const leaseOf = ({ kind, name }: ObjectRef): string => `${kind} ${name}`;

function withOrders(machines: Machines, hooks: Hooks): Machines {
  return {
    list: (options) => machines.list(options),
    add: async (order, guard, options) => {
      hooks.order(guard.idempotencyKey);
      await hooks.before('add machine');
      return machines.add(order, guard, options);
    },
    remove: (name, guard, options) => machines.remove(name, guard, options),
  };
}

function hooked(ports: ClusterPorts, hooks: Hooks): ClusterPorts {
  const { machines } = ports;
  const told = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    await hooks.before(what);
    const answer = await act();
    await hooks.after(what);
    return answer;
  };
  return {
    api: {
      ...ports.api,
      get: async (ref, options) => {
        const answer = await ports.api.get(ref, options);
        if (ref.kind === 'Pod' && answer === null) await hooks.after('pod gone');
        // Passed on unchanged.
        return answer as never;
      },
      mergePatch: (ref, patch, options) =>
        told(`patch ${leaseOf(ref)}`, () => ports.api.mergePatch(ref, patch, options)),
    },
    files: {
      ...ports.files,
      write: (node, path, ...rest) =>
        told(`write ${path}`, () => ports.files.write(node, path, ...rest)),
      remove: (node, path, ...rest) =>
        told(`remove ${path}`, () => ports.files.remove(node, path, ...rest)),
    },
    processes: {
      ...ports.processes,
      host: async (node, options) => {
        const host = await ports.processes.host(node, options);
        const runs = host.processes.some(({ manager }) => manager === 'kcm');
        await hooks.after(`${node} ${runs ? 'runs a KCM' : 'runs none'}`);
        return host;
      },
    },
    kubelets: ports.kubelets,
    machines: machines === null ? null : withOrders(machines, hooks),
  };
}

describe('the last moment before a write', () => {
  const hooks: Hooks = { before: () => undefined, after: () => undefined, order: () => undefined };
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({ wrap: (ports) => hooked(ports, hooks) });
    await environment.fence();
    await environment.snapshot();
    await environment.take({ kind: 'recordBaseline' });
  });
  afterEach(async () => {
    Object.assign(hooks, {
      before: () => undefined,
      after: () => undefined,
      order: () => undefined,
    });
    await environment.close();
  });

  const manifest = (node = 'cp-2'): string | undefined =>
    environment.cluster.node(node)?.files.read(manifestPath('kcm'))?.content;
  const holder = async (): Promise<string> =>
    (await environment.ports.api.get<LeaseObject>(MAIN))?.object.spec?.holderIdentity ?? '';

  it('a breach that is recorded while the successor is written stops the removal of the manifest', async () => {
    const before = manifest();
    hooks.after = async (what) => {
      if (what !== `write ${nextPath('kcm')}`) return;
      hooks.after = () => undefined;
      const noted = { 'ccm-migrate.dev/breach': 'CCM3001 oneOwner: two managers' };
      await environment.ports.api.mergePatch(FENCE, { metadata: { annotations: noted } });
    };
    await expect(environment.take(enabling('cp-2'))).rejects.toMatchObject({ type: 'Breach' });
    expect(manifest()).toBe(before);
  });

  it('a breach that is recorded while an intent takes long to record stops its write', async () => {
    const before = manifest();
    const { evidence, clock } = environment.dependencies;
    const begin = evidence.begin.bind(evidence);
    const slowly: typeof evidence.begin = async (intent) => {
      await begin(intent);
      const noted = { 'ccm-migrate.dev/breach': 'CCM3001 oneOwner: two managers' };
      await environment.ports.api.mergePatch(FENCE, { metadata: { annotations: noted } });
      await clock.sleep(1001);
    };
    Object.assign(evidence, { begin: slowly });
    await expect(environment.take(enabling('cp-2'))).rejects.toMatchObject({ type: 'Breach' });
    expect(manifest()).toBe(before);
    const last = (await environment.evidence()).at(-1);
    expect(last?.entry).toMatchObject({ kind: 'outcome', outcome: { kind: 'refused' } });
  });

  it('evidence that is gone, or in the folder of another worker, lets nothing be written until it is back', async () => {
    const before = manifest();
    const known = await environment.dependencies.evidence.head(environment.context);
    const context = { ...environment.context, evidence: known };
    const elsewhere = await mkdtemp(join(tmpdir(), 'ccm-migrate-evidence-'));
    try {
      const other = createActivities({
        ...environment.dependencies,
        evidence: createFileEvidenceStore(elsewhere),
      });
      const lost = { type: 'EvidenceLost' };
      const { activities, ccmManifest } = environment;
      const there = runByHand({ activities: other, context, ccmManifest });
      await expect(there.fence()).rejects.toMatchObject(lost);
      await expect(there.take(enabling('cp-2'))).rejects.toMatchObject(lost);
      const close = { ...context, epoch: 1, outcome: 'stopped' };
      await expect(other.closeRun(close)).rejects.toMatchObject(lost);
      expect(manifest()).toBe(before);
      const back = runByHand({ activities, context, ccmManifest });
      const { evidence } = await back.fence('again');
      expect(evidence?.records).toBeGreaterThan(known.records);
      await back.take(enabling('cp-2'));
      expect(manifest()).not.toBe(before);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('a manifest that an operator restored meanwhile is never overwritten (I16)', async () => {
    hooks.before = (what) => {
      if (what !== `write ${manifestPath('kcm')}`) return;
      environment.cluster.node('cp-2')?.files.write(manifestPath('kcm'), '# mine\n');
    };
    await expect(environment.take(enabling('cp-2'))).rejects.toMatchObject({ type: 'ForeignEdit' });
    expect(manifest()).toBe('# mine\n');
  });

  it('a Lease that another process acquired since the proof is not emptied', async () => {
    const dead = await holder();
    const [leader = ''] = dead.split('_');
    await environment.take({
      kind: 'changeManager',
      node: leader,
      want: { manager: 'kcm', role: 'parked' },
      release: 'none',
    });
    hooks.before = async (what) => {
      if (what !== `patch ${leaseOf(MAIN)}`) return;
      hooks.before = () => undefined;
      await environment.ports.api.mergePatch(MAIN, { spec: { holderIdentity: 'somebody_1' } });
    };
    await expect(
      environment.take({ kind: 'releaseLease', lease: { ...MAIN }, holder: dead }),
    ).rejects.toMatchObject({ type: 'Conflict' });
    expect(await holder()).toBe('somebody_1');
  });

  it('a run whose guard has missed three renewals writes no more', async () => {
    environment.standIn.present = false;
    await environment.clock.sleep(4 * environment.context.timings.fenceRenewMs);
    await expect(environment.take(enabling('cp-2'))).rejects.toMatchObject({
      type: 'Unguarded',
      message: expect.stringMatching(/last renewed .* its guard is not running/),
    });
  });

  it('a change copies, removes, proves, releases and writes, in this order', async () => {
    const [leader = ''] = (await holder()).split('_');
    const hash = digestText(manifest(leader) ?? '');
    const told: string[] = [];
    const words = new Map([
      [`write ${backupPath('kcm', hash)}`, 'copied'],
      [`write ${nextPath('kcm')}`, 'successor beside it'],
      [`remove ${manifestPath('kcm')}`, 'taken away'],
      [`${leader} runs none`, 'proven gone'],
      [`patch ${leaseOf(MAIN)}`, 'released'],
      ['pod gone', 'mirror pod gone'],
      [`write ${manifestPath('kcm')}`, 'written'],
    ]);
    hooks.after = (what) => {
      const word = words.get(what);
      if (word !== undefined && !told.includes(word)) told.push(word);
    };
    await environment.take(enabling(leader));
    expect(told.slice(0, 2).sort()).toEqual(['copied', 'successor beside it']);
    expect(told.slice(2)).toEqual([
      'taken away',
      'proven gone',
      'released',
      'mirror pod gone',
      'written',
    ]);
  });

  it('an object of that name that is not ours is left alone', async () => {
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'ccm-migrate-leader-migration', namespace: 'kube-system' },
      rules: [],
    };
    await environment.ports.api.create(role);
    await environment.fence();
    await expect(
      environment.take({ kind: 'setAccess', access: 'leaseGrant', want: 'present' }),
    ).rejects.toMatchObject({ type: expect.stringMatching(/^(ForeignEdit|Conflict)$/) });
    const { name, namespace } = role.metadata;
    const found = await environment.ports.api.get<typeof role>({ ...role, name, namespace });
    expect(found?.object.rules).toBeNull(); // As a real API server stores an empty list.
  });

  it.each([
    {
      name: 'a CCM beside KCMs that do not share the lock',
      want: { manager: 'ccm', role: 'running', leaderMigration: 'on' },
      node: 'cp-1',
    },
    { name: 'a node that is not there', want: enabling('').want, node: 'cp-9' },
  ] as const)('a step that no longer fits begins nothing: $name', async ({ want, node }) => {
    await expect(
      environment.take({ kind: 'changeManager', node, want, release: 'none' }),
    ).rejects.toMatchObject({ type: 'PreconditionFailed' });
  });

  it('no manager is changed while another node is down', async () => {
    environment.cluster.crashNode('cp-3');
    await environment.clock.sleep(120_000);
    await expect(environment.take(enabling('cp-2'))).rejects.toMatchObject({ type: 'GateFailed' });
  });

  it('a run that was displaced does not return with its old order to take over', async () => {
    const takeOver = { reason: 'the laptop is lost' };
    const first = { ...environment.context, nonce: 'again', takeOver, acknowledge: false };
    const second = { ...first, runId: 'run-2', nonce: 'x' };
    await environment.activities.takeFence(second);
    await expect(environment.activities.takeFence(first)).rejects.toMatchObject({
      type: 'AlreadyRunning',
    });
  });

  it('an order that is repeated in a newer epoch keeps its key', async () => {
    const keys: string[] = [];
    hooks.order = (key) => void keys.push(key);
    hooks.before = (what) => {
      if (what === 'add machine' && keys.length === 1) {
        throw failure('Unavailable', 'the connection was reset');
      }
    };
    const effect = { kind: 'addMachine', machine: 'cp-9', side: 'source' } as const;
    await expect(environment.take(effect, { name: 'addMachine' })).rejects.toMatchObject({
      type: 'Unavailable',
    });
    await environment.fence();
    await environment.take(effect, { name: 'addMachine' });
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it('an order of other content has another key', async () => {
    const keys: string[] = [];
    hooks.order = (key) => void keys.push(key);
    hooks.before = (what) => {
      if (what === 'add machine') throw failure('Unavailable', 'the connection was reset');
    };
    for (const side of ['source', 'target'] as const) {
      const effect = { kind: 'addMachine', machine: 'cp-9', side } as const;
      await expect(environment.take(effect, { name: 'addMachine' })).rejects.toThrow('was reset');
      await environment.fence();
    }
    expect(new Set(keys).size).toBe(2);
  });
});
