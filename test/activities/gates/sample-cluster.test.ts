import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { sampleCluster, type SamplingInput } from '../../../activities/gates/sample-cluster.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import { openEnvironment, type Environment } from '../environment.js';
import { balancedService } from '../noted-gates.js';

jest.setTimeout(60_000);

describe('what a guard would say of a cluster, without a run', () => {
  let environment: Environment;
  afterEach(async () => {
    await environment.close();
  });

  const sampled = (changes: Partial<SamplingInput>): Promise<readonly GateVerdict[]> =>
    environment.takePart(() =>
      sampleCluster(environment.ports, {
        ...environment.context,
        gates: {
          ...{ catalogue: 'nodes', objects: 'watch', except: [], everyMs: 2_000 },
          ...{ unmeasuredMs: 10_000, quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
        },
        ...{ forMs: 0, signal: new AbortController().signal, clock: environment.clock },
        log: { info: () => undefined, warn: () => undefined },
        onRound: () => undefined,
        ...changes,
      }),
    );

  it('a cloud that begins to fail meanwhile is a failed gate', async () => {
    environment = await openEnvironment({ spec: { nodes: 1 } });
    const broken: Promise<unknown>[] = [];
    const lefts: number[] = [];
    const verdicts = await sampled({
      forMs: 20_000,
      onRound: (_verdicts, leftMs) => {
        lefts.push(leftMs);
        if (broken.length > 0) return;
        const faults = [{ controller: 'service', cloud: 'fail' }];
        broken.push(
          environment
            .control('POST', 'cloud-faults', { faults })
            .then(() => environment.ports.api.create(balancedService('late'))),
        );
      },
    });
    await Promise.all(broken);
    expect(verdicts.find(({ gate }) => gate === 'servicesKeepWorking')).toMatchObject({
      ...{ verdict: 'fail', code: 'CCM3104' },
      detail: expect.stringContaining('default/late'),
    });
    expect(lefts.at(-1)).toBe(0);
    expect(lefts.length).toBeGreaterThan(5);
  });

  it('changes nothing', async () => {
    environment = await openEnvironment({ spec: { nodes: 1 } });
    const verdicts = await sampled({});
    expect(verdicts.length).toBeGreaterThan(10);
    const journal = await environment.journal();
    expect(journal.filter(({ tookEffect }) => tookEffect)).toEqual([]);
  });
});
