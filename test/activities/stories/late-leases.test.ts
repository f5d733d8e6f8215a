import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FENCE } from '../../../activities/fence/fence-record.js';
import { manifestPath, nextPath } from '../../../activities/node-paths.js';
import type { ClusterPorts } from '../../../activities/ports.js';
import { enabling } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';

const ENABLE = enabling('cp-2');

describe('a step whose Leases arrive late', () => {
  const late: { answer: () => Promise<void> } = { answer: () => Promise.resolve() };
  let environment: Environment;
  beforeEach(async () => {
    late.answer = () => Promise.resolve();
    const wrap = (ports: ClusterPorts): ClusterPorts => ({
      ...ports,
      api: {
        ...ports.api,
        list: async (ref, options) => {
          const answer = await ports.api.list(ref, options);
          if (ref.kind === 'Lease') await late.answer();
          // Passed on unchanged.
          return answer as never;
        },
      },
    });
    environment = await openEnvironment({ wrap });
    await environment.fence();
    await environment.snapshot();
    await environment.take({ kind: 'recordBaseline' });
  });
  afterEach(() => environment.close());

  const onNode = (path: string): string | undefined =>
    environment.cluster.node('cp-2')?.files.read(path)?.content;
  /** The guard finds a breach while the answer is on its way. */
  const breachFor = (ms: number) => async (): Promise<void> => {
    late.answer = () => Promise.resolve();
    const noted = { 'ccm-migrate.dev/breach': 'CCM3001 oneOwner: two managers' };
    await environment.ports.api.mergePatch(FENCE, { metadata: { annotations: noted } });
    await environment.clock.sleep(ms);
  };

  it('reads the fence again before its first write, which a breach of the meantime stops', async () => {
    const before = onNode(manifestPath('kcm'));
    late.answer = breachFor(2000);
    await expect(environment.take(ENABLE)).rejects.toMatchObject({
      type: 'Breach',
      details: [{ wrote: false }],
    });
    expect(onNode(manifestPath('kcm'))).toBe(before);
    expect(onNode(nextPath('kcm'))).toBeUndefined();
  });

  it('does not finish a manifest after such a breach', async () => {
    const content = onNode(manifestPath('kcm')) ?? '';
    const node = environment.cluster.node('cp-2');
    node?.files.write(nextPath('kcm'), content);
    node?.files.remove(manifestPath('kcm'));
    await environment.clock.sleep(30_000);
    late.answer = breachFor(2000);
    const finish = { kind: 'finishManifest', node: 'cp-2', manager: 'kcm' } as const;
    await expect(environment.take(finish)).rejects.toMatchObject({ type: 'Breach' });
    expect(onNode(manifestPath('kcm'))).toBeUndefined();
  });
});
