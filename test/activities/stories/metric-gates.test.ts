import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { SoakReport } from '../../../activities/contract.js';
import { failure, failureDetailsOf, failureTypeOf } from '../../../activities/failures.js';
import type { NodeProcesses } from '../../../activities/ports.js';
import { holdsRun } from '../../../domain/gates/verdicts.js';
import type { MetricGatePolicy } from '../../../domain/policy.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';
import { endGuards, guardBeside } from '../guard-beside.js';
import { balancedService, fenceNote, passedUntil } from '../noted-gates.js';

jest.setTimeout(120_000);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const GATES: MetricGatePolicy = {
  ...{ catalogue: 'nodes', except: [], everyMs: 15 * SECOND, unmeasuredMs: 2 * MINUTE },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

describe('gates on metrics beside a run', () => {
  let environment: Environment;
  afterEach(async () => {
    await endGuards();
    await environment.close();
  });

  const opened = async (
    gates: Partial<MetricGatePolicy> = {},
    metrics?: NodeProcesses['metrics'],
  ): Promise<void> => {
    environment = await openEnvironment({
      spec: { nodes: 2 },
      timings: { guardMs: 1_000, requestMs: 10_000 },
      policy: { metricGates: { ...GATES, ...gates } },
    });
    if (metrics !== undefined) withMetrics(metrics);
    await environment.fence();
  };
  /** Only the guard reads whole pages. */
  const withMetrics = (metrics: NodeProcesses['metrics']): void => {
    const { connect } = environment.guardDependencies;
    Object.assign(environment, {
      guardDependencies: {
        ...environment.guardDependencies,
        connect: async (...of: Parameters<typeof connect>) => {
          const ports = await connect(...of);
          return { ...ports, processes: { ...ports.processes, metrics } };
        },
      },
    });
  };
  const note = (name: string): Promise<string> => fenceNote(environment, name);
  const until = (isSo: () => Promise<boolean>, atMostMs: number): Promise<number> =>
    passedUntil(environment, isSo, atMostMs);
  const soaked = (soakMs: number): Promise<SoakReport> =>
    environment.takePart(() =>
      environment.activities.soak({
        ...environment.context,
        ...{ epoch: 1, soakMs, progress: null, firstSeen: [] },
        decide: NO_JUDGEMENTS,
      }),
    );

  it('a cloud that hangs stops the next change, and lets it pass when it answers again', async () => {
    await opened();
    const guard = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    expect(await note('breach')).toBe('');
    await environment.control('POST', 'cloud-faults', {
      faults: [{ controller: 'service', cloud: 'hang' }],
    });
    await environment.ports.api.create(balancedService('late'));
    const afterMs = await until(
      async () => (await note('breach')).includes('CCM3101'),
      10 * MINUTE,
    );
    expect(afterMs).toBeLessThan(120 * SECOND + 2 * GATES.everyMs);
    expect(await note('breach')).toContain('CCM3101 serviceProcessorStuck: ');
    const change = environment.takePart(() => environment.take({ kind: 'recordBaseline' }));
    const refused = await change.catch((error: unknown) => error);
    expect(failureTypeOf(refused)).toBe('Breach');
    expect(failureDetailsOf(refused)).toMatchObject({
      ...{ wrote: false },
      verdicts: ['serviceQueueStuck', 'serviceProcessorStuck'].map((gate) => ({
        ...{ gate, hardness: 'soft', verdict: 'fail', code: 'CCM3101' },
      })),
    });
    expect(guard.told.join()).toContain('CCM3101');
    await environment.control('POST', 'cloud-faults', { faults: [] });
    await until(async () => (await note('breach')) === '', MINUTE);
    await environment.takePart(() => environment.take({ kind: 'recordBaseline' }));
  });

  it('a quiet cluster is noted, holds nothing, and its soak says what it could not see', async () => {
    await opened();
    guardBeside(environment);
    await environment.clock.sleep(10 * SECOND);
    const report = await soaked(MINUTE);
    expect(await note('breach')).toBe('');
    const soft = report.verdicts.filter(({ hardness }) => hardness === 'soft');
    expect(report.complete).toBe(true);
    expect(soft.filter(holdsRun)).toEqual([]);
    expect(soft.find(({ gate }) => gate === 'nodeSyncErrors')).toMatchObject({
      ...{ verdict: 'inconclusive', noted: true },
      detail: expect.stringContaining('no harm would show'),
    });
    expect(soft.find(({ gate }) => gate === 'serviceQueueStuck')).toMatchObject({
      verdict: 'pass',
      numbers: { unit: 'seconds', limit: 120, source: expect.stringContaining('kcm on ') },
    });
  });

  it('pages that cannot be read hold everything, and nothing when they are read again', async () => {
    let isBroken = true;
    await opened({}, async (node, manager, options) => {
      if (isBroken) throw failure('Unreachable', 'no route to the page');
      return environment.ports.processes.metrics(node, manager, options);
    });
    guardBeside(environment);
    await until(async () => (await note('breach')).includes('CCM3103'), MINUTE);
    expect(await note('breach')).toContain('no route to the page');
    isBroken = false;
    await until(async () => (await note('breach')) === '', MINUTE);
  });

  it('a node out of reach leaves its managers unmeasured, and holds nothing when it answers again', async () => {
    await opened();
    const guard = guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    environment.cluster.partitionNode('cp-2');
    await environment.clock.sleep(GATES.unmeasuredMs - 2 * GATES.everyMs);
    expect(await note('breach')).not.toContain('CCM3103');
    await until(async () => (await note('breach')).includes('CCM3103'), MINUTE);
    expect(await note('breach')).toContain('CCM3103 serviceProcessorStuck: cp-2 cannot be reached');
    expect(guard.beats.at(-1)?.memory.gates?.places).toContainEqual(
      expect.objectContaining({ node: 'cp-2', place: 'kcm on cp-2' }),
    );
    environment.cluster.healNode('cp-2');
    await until(async () => (await note('breach')) === '', MINUTE);
  });

  it('what was read before counts on for the time that policy gives', async () => {
    let isBroken = false;
    await opened({}, async (node, manager, options) => {
      if (isBroken) throw failure('Unreachable', 'no route to the page');
      return environment.ports.processes.metrics(node, manager, options);
    });
    guardBeside(environment);
    await environment.clock.sleep(MINUTE);
    isBroken = true;
    const afterMs = await until(async () => (await note('breach')) !== '', 5 * MINUTE);
    expect(afterMs).toBeGreaterThan(GATES.unmeasuredMs - GATES.everyMs - 2 * SECOND);
    expect(afterMs).toBeLessThan(GATES.unmeasuredMs + GATES.everyMs);
  });
});
