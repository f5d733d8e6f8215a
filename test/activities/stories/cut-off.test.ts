import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { digestObject } from '../../../activities/object-digest.js';
import { manifestPath, nextPath } from '../../../activities/node-paths.js';
import type { ClusterPorts } from '../../../activities/ports.js';
import type { EvidenceRecord } from '../../../domain/evidence/record.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(180_000);

const FENCE = 'Lease kube-system/ccm-migrate';

function outcomesFor(records: readonly EvidenceRecord[], object: string): readonly string[] {
  return records.flatMap(({ entry }) => {
    if (entry.kind !== 'intent' || entry.intent.object !== object) return [];
    const outcome = records.find((each) => isOutcomeOf(each, entry.intent.id));
    return [outcome?.entry.kind === 'outcome' ? outcome.entry.outcome.kind : 'open'];
  });
}

function isOutcomeOf({ entry }: EvidenceRecord, id: string): boolean {
  return entry.kind === 'outcome' && entry.intentId === id;
}

describe('what a dead worker left behind', () => {
  let environment: Environment;
  afterEach(() => environment.close());

  it('a successor that is in place already is removed by the next step, once', async () => {
    const left = `cp-1:${nextPath('kcm')}`;
    let refused = 0;
    const wrap = (ports: ClusterPorts): ClusterPorts => ({
      ...ports,
      files: {
        ...ports.files,
        remove: (node, path, guard, options) => {
          if (path !== nextPath('kcm') || refused > 0) {
            return ports.files.remove(node, path, guard, options);
          }
          refused += 1;
          throw failure('Unavailable', 'the connection was reset');
        },
      },
    });
    environment = await openEnvironment({ spec: { nodes: 1, workers: 1 }, wrap });
    await expect(environment.migrate('ccm')).rejects.toThrow(/reset/);
    const read = (path: string) => environment.ports.files.read('cp-1', path);
    expect((await read(nextPath('kcm')))?.hash).toBe((await read(manifestPath('kcm')))?.hash);

    // No run takes that step again, so everything that belongs to it must be done by now.
    const kubeadm = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system' };
    const config = await environment.ports.api.get({ ...kubeadm, name: 'kubeadm-config' });
    expect(JSON.stringify(config)).toContain('enable-leader-migration');

    await environment.fence();
    expect(await read(nextPath('kcm'))).not.toBeNull();
    await environment.take({ kind: 'recordBaseline' });
    expect(await read(nextPath('kcm'))).toBeNull();
    expect(outcomesFor(await environment.evidence(), left).slice(-2)).toEqual([
      'foundNotApplied',
      'applied',
    ]);
    await environment.migrate('ccm');
    expect((await environment.snapshot()).observation.nodes[0]?.side).toBe('target');
  });

  it('a write on a node that died meanwhile does not block the fence, and is completed once the node is back', async () => {
    const path = manifestPath('kcm');
    let isAway = false;
    const away = <T>(act: () => Promise<T>): Promise<T> =>
      isAway ? Promise.reject(failure('Unreachable', 'cp-1 is cut off')) : act();
    const wrap = ({ files, processes, ...ports }: ClusterPorts): ClusterPorts => ({
      ...ports,
      files: {
        ...files,
        read: (...call) => away(() => files.read(...call)),
        write: (node, to, ...call) => {
          isAway ||= to === path;
          return away(() => files.write(node, to, ...call));
        },
      },
      processes: {
        ...processes,
        host: (...call) => away(() => processes.host(...call)),
        snapshot: (...call) => away(() => processes.snapshot(...call)),
      },
    });
    environment = await openEnvironment({ spec: { nodes: 1, workers: 1 }, wrap });
    await expect(environment.migrate('ccm')).rejects.toThrow(/cut off/);
    await environment.fence();
    expect(outcomesFor(await environment.evidence(), `cp-1:${path}`).at(-1)).toBe('open');

    isAway = false;
    await environment.fence();
    expect(outcomesFor(await environment.evidence(), `cp-1:${path}`).at(-1)).toBe(
      'foundNotApplied',
    );
  });

  it('a successor on a machine to be deleted is removed before its manifest is', async () => {
    let epoch = 0;
    const found: (string | null)[] = [];
    const wrap = (ports: ClusterPorts): ClusterPorts => ({
      ...ports,
      api: {
        ...ports.api,
        mergePatch: async (ref, patch, options) => {
          if (ref.kind === 'Node') {
            const guard = { expect: 'absent', epoch };
            await ports.files.write(ref.name, nextPath('kcm'), 'never begun', guard);
          }
          return ports.api.mergePatch(ref, patch, options);
        },
      },
      files: {
        ...ports.files,
        write: (node, path, content, guard, options) => {
          epoch = guard.epoch;
          return ports.files.write(node, path, content, guard, options);
        },
        remove: async (node, path, guard, options) => {
          epoch = guard.epoch;
          const next = await ports.files.read(node, nextPath('kcm'));
          if (path === manifestPath('kcm')) found.push(next?.content ?? null);
          return ports.files.remove(node, path, guard, options);
        },
      },
    });
    const nodes = { forward: 'replace', rollback: 'inPlace' } as const;
    environment = await openEnvironment({ policy: { nodes }, wrap });
    await environment.migrate('ccm');
    expect(found.length).toBeGreaterThan(3);
    expect(found).not.toContain('never begun');
  });

  it('an attempt to acquire the fence that was never sent is distinguished from one that succeeded', async () => {
    environment = await openEnvironment({ spec: { nodes: 1, workers: 1 } });
    const { runId, workflowId, actor, reason, planDigest } = environment.context;
    const held = {
      metadata: { annotations: { 'ccm-migrate.dev/epoch': '1' } },
      spec: { holderIdentity: runId },
    };
    await environment.dependencies.evidence.begin({
      ...{ id: 'died', runId, workflowId, actor, reason, planDigest, cluster: 'c1', epoch: 1 },
      ...{ step: 'takeFence', verb: 'create', object: FENCE, before: '', proof: '' },
      after: digestObject({ kind: 'Lease', ...held }),
      at: new Date(0).toISOString(),
    });
    await environment.fence();
    expect(outcomesFor(await environment.evidence(), FENCE)).toEqual([
      'foundNotApplied',
      'applied',
    ]);
    const after = (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'intent' ? [entry.intent.after] : [],
    );
    expect(new Set(after).size).toBe(1);
  });
});
