import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { SoakInput, SoakReport } from '../../../activities/contract.js';
import { failure, failureTypeOf } from '../../../activities/failures.js';
import type { DecisionRequest } from '../../../domain/decision/run-decision.js';
import { PAST_LOST } from '../../../domain/gates/past-lost.js';
import type { MetricGatePolicy } from '../../../domain/policy.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';
import { endGuards, guardBeside } from '../guard-beside.js';
import { balancedService, fenceNote, passedUntil } from '../noted-gates.js';

jest.setTimeout(120_000);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const GATES: MetricGatePolicy = {
  ...{ catalogue: 'off', objects: 'watch', except: [] },
  ...{ everyMs: 15 * SECOND, unmeasuredMs: 2 * MINUTE },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

describe('gates on objects beside a run', () => {
  let environment: Environment;
  afterEach(async () => {
    await endGuards();
    await environment.close();
  });

  const opened = async (): Promise<void> => {
    environment = await openEnvironment({
      spec: { nodes: 2 },
      timings: { guardMs: 1_000, requestMs: 10_000 },
      policy: { metricGates: GATES },
    });
    await environment.fence();
  };
  const breach = (): Promise<string> => fenceNote(environment, 'breach');
  const faults = (...found: readonly unknown[]): Promise<unknown> =>
    environment.control('POST', 'cloud-faults', { faults: found });

  it('only a Service that did not fail before stops the next change, until it works', async () => {
    await opened();
    await faults({ controller: 'service', cloud: 'fail' });
    await environment.ports.api.create(balancedService('old'));
    await environment.clock.sleep(MINUTE);
    guardBeside(environment);
    await environment.clock.sleep(5 * MINUTE);
    expect(await breach()).toBe('');
    await environment.ports.api.create(balancedService('late'));
    await passedUntil(environment, async () => (await breach()).includes('CCM3104'), MINUTE);
    expect(await breach()).toMatch(
      /^CCM3104 servicesKeepWorking: Services fail that did not before: Service default\/late; Sync/,
    );
    const change = environment.takePart(() => environment.take({ kind: 'recordBaseline' }));
    expect(failureTypeOf(await change.catch((error: unknown) => error))).toBe('Breach');
    await faults();
    await passedUntil(environment, async () => (await breach()) === '', 6 * MINUTE);
    await environment.takePart(() => environment.take({ kind: 'recordBaseline' }));
  });

  const soak = (given: Pick<SoakInput, 'epoch' | 'soakMs' | 'decide'>): Promise<SoakReport> =>
    environment.takePart(() =>
      environment.activities.soak({
        ...environment.context,
        ...{ progress: null, firstSeen: [] },
        ...given,
      }),
    );

  it('a soak fails by a Service that did not fail before, but by none that a person has skipped, nor in a rollback', async () => {
    await opened();
    guardBeside(environment);
    await environment.clock.sleep(10 * SECOND);
    await faults({ controller: 'service', cloud: 'fail' });
    await environment.ports.api.create(balancedService('late'));
    await passedUntil(environment, async () => (await breach()).includes('CCM3104'), MINUTE);
    const soaked = (decide: Partial<DecisionRequest>): Promise<SoakReport> =>
      soak({ epoch: 1, soakMs: 20 * SECOND, decide: { ...NO_JUDGEMENTS, ...decide } });
    const refused = await soaked({}).catch((error: unknown) => error);
    expect(failureTypeOf(refused)).toBe('Breach');
    const others = [{ gate: 'routesKeepWorking', code: 'CCM3104' }];
    const wrong = await soaked({ waivedGates: others }).catch((error: unknown) => error);
    expect(failureTypeOf(wrong)).toBe('Breach');
    const skipped = [{ gate: 'servicesKeepWorking', code: 'CCM3104' }];
    expect(await soaked({ waivedGates: skipped })).toMatchObject({ complete: true });
    expect(await soaked({ target: 'kcm' })).toMatchObject({ complete: true });
  });

  /** What `retry` does: the fence is taken again, with the word of a person, and the guard reads it and the objects. */
  const retried = async (): Promise<number> => {
    const { epoch } = await environment.takePart(() => environment.fence());
    await environment.clock.sleep(MINUTE);
    return epoch;
  };
  const measured = (epoch: number): Promise<SoakReport> =>
    soak({ epoch, soakMs: 0, decide: NO_JUDGEMENTS });

  it('a retry accepts no Service that fails, however often', async () => {
    await opened();
    guardBeside(environment);
    await environment.clock.sleep(10 * SECOND);
    await faults({ controller: 'service', cloud: 'fail' });
    await environment.ports.api.create(balancedService('late'));
    await passedUntil(environment, async () => (await breach()).includes('CCM3104'), MINUTE);
    for (const _ of ['once', 'twice']) {
      const { verdicts } = await measured(await retried());
      expect(verdicts).toContainEqual(
        expect.objectContaining({ gate: 'servicesKeepWorking', verdict: 'fail', code: 'CCM3104' }),
      );
    }
    const change = environment.takePart(() => environment.take({ kind: 'recordBaseline' }));
    expect(failureTypeOf(await change.catch((error: unknown) => error))).toBe('Breach');
    await faults();
    await passedUntil(environment, async () => (await breach()) === '', 6 * MINUTE);
  });

  it('a retry while nothing can be read forgets no harm that is seen afterwards', async () => {
    await opened();
    let isAway = false;
    const guard = guardBeside(environment, {
      api: ({ list }) => ({
        list: (ref, options) =>
          isAway && ref.kind === 'Event'
            ? Promise.reject(failure('Forbidden', 'list events: the identity may not'))
            : list(ref, options),
      }),
    });
    await environment.clock.sleep(10 * SECOND);
    isAway = true;
    await passedUntil(environment, async () => (await breach()).includes('CCM3103'), 5 * MINUTE);
    await faults({ controller: 'service', cloud: 'fail' });
    await environment.ports.api.create(balancedService('late'));
    await retried();
    isAway = false;
    await passedUntil(environment, async () => (await breach()).includes('CCM3104'), 2 * MINUTE);
    expect(await breach()).toContain('Service default/late');
    await guard.end();
  });

  it('a guard that lost what it knew of a run that may have written holds every change, and says so', async () => {
    await opened();
    const sinceMs = environment.clock.nowMs() - 10 * MINUTE;
    await faults({ controller: 'service', cloud: 'fail' });
    await environment.ports.api.create(balancedService('harmed'));
    await environment.clock.sleep(MINUTE);
    const guard = guardBeside(environment, { mayHaveWritten: { sinceMs } });
    await passedUntil(environment, async () => (await breach()) !== '', MINUTE);
    expect(await breach()).toContain(`CCM3103 servicesKeepWorking: ${PAST_LOST}`);
    const change = environment.takePart(() => environment.take({ kind: 'recordBaseline' }));
    expect(failureTypeOf(await change.catch((error: unknown) => error))).toBe('Breach');
    const { ownership, memory } = await guard.end();
    expect(ownership.unknownSeconds).toBeGreaterThanOrEqual(600);
    expect(memory.objects?.book?.services).toEqual({ kind: 'lost' });
  });

  it('Events that may not be listed hold every change, and say so', async () => {
    await opened();
    const guard = guardBeside(environment, {
      api: ({ list }) => ({
        list: (ref, options) =>
          ref.kind === 'Event'
            ? Promise.reject(failure('Forbidden', 'list events: the identity may not'))
            : list(ref, options),
      }),
    });
    await passedUntil(environment, async () => (await breach()) !== '', MINUTE);
    expect(await breach()).toContain('CCM3103 servicesKeepWorking: list events: the identity may');
    await guard.end();
  });
});
