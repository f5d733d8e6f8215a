import { describe, expect, it } from '@jest/globals';
import type { StepEffect } from '../../../domain/decision/step.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import type { ProbeTimes } from '../../../domain/probes/balancer-probe.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import { keptProbes, probesAfter, probesStillDone } from '../../../domain/run/probes-due.js';
import { planned } from '../../support/planned.js';
import {
  command,
  does,
  DONE,
  finished,
  type GivenEvent,
  GivenRun,
  LOOKED,
  PASS,
  soaked,
  step,
  verdict,
} from './given-run.js';

const PROBES: Partial<MigrationPolicy> = {
  probes: { balancer: { annotations: {}, withinMs: 60_000 } },
  soakSeconds: 9,
};
const TIMES: ProbeTimes = { addressMs: 2000, changeMs: 1000, goneMs: 3000 };

function probed(verdicts: readonly GateVerdict[] = [PASS]): GivenEvent {
  const event = finished(verdicts);
  return (run) => {
    const given = typeof event === 'function' ? event(run) : event;
    if (given.kind !== 'stepFinished') throw new Error(given.kind);
    return { ...given, report: { ...given.report, probe: TIMES } };
  };
}

const failedProbe = (code: string): GateVerdict =>
  verdict({ gate: 'balancerProbe', hardness: 'soft', code, detail: 'no load balancer' });

/** The effect in flight; null where no step is. */
function effectOf({ last }: GivenRun): StepEffect | null {
  return last.kind === 'runStep' ? last.planned.step.effect : null;
}

function moment(run: GivenRun): string {
  const effect = effectOf(run);
  return effect?.kind === 'probeBalancer' ? effect.moment : (effect?.kind ?? run.last.kind);
}

function begun(policy: Partial<MigrationPolicy> = {}): GivenRun {
  return new GivenRun([does()], { ...PROBES, ...policy }).stepping();
}

/** Up to the end of the last step before the target is reached; the KCMs of the given cluster still own. */
function reached(policy: Partial<MigrationPolicy> = {}): GivenRun {
  return begun(policy).on(probed()).rule(DONE).on(finished());
}

describe('probes of a run', () => {
  it('come before the first change, then once the target is reached, each once', () => {
    const run = begun();
    expect(effectOf(run)).toEqual({
      ...{ kind: 'probeBalancer', moment: 'before', owner: 'kcm', earlier: null },
    });
    expect(run.last).toMatchObject({ planned: { step: { phase: 'preflight' } } });
    run.on(probed());
    expect(moment(run)).toBe('setAccess');
    run.rule(DONE).on(finished());
    expect(effectOf(run)).toMatchObject({ kind: 'probeBalancer', earlier: TIMES });
    run.on(probed());
    expect(run.state.proofs.probes?.before).toEqual(TIMES);
  });

  it('are absent without a policy for them', () => {
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping();
    expect(moment(run)).toBe('setAccess');
    run.rule(DONE).on(finished());
    expect(run.last.kind).toBe('soak');
    expect(run.state.proofs).not.toHaveProperty('probes');
  });

  it('never delay a repair', () => {
    const repair = does('stopSecondOwner', { phase: 'repair' });
    expect(moment(new GivenRun([repair], PROBES).stepping())).toBe('setAccess');
  });

  it('of before are not made up for once the run has changed something', () => {
    const repair = does('stopSecondOwner', { phase: 'repair' });
    const run = new GivenRun([repair], PROBES).stepping().rule(does()).on(finished());
    expect(moment(run)).toBe('setAccess');
  });
});

describe('a probe that failed before the first change', () => {
  const failed = (): GivenRun =>
    begun({ onBreach: 'rollBack' }).on(probed([failedProbe('CCM3107')]));

  it('holds, and never turns the run around', () => {
    const run = failed();
    expect(run.state.direction.target).toBe('ccm');
    expect(run.state.problems.holdReason).toMatchObject({ kind: 'gates', codes: ['CCM3107'] });
  });

  it('is repeated by retry, after the gates were measured', () => {
    const run = failed().on(command('retry'));
    expect(run.state.proofs).not.toHaveProperty('probes');
    run.on({ kind: 'fenceTaken', epoch: 2 });
    expect(run.last).toMatchObject({ kind: 'soak', soakMs: 0 });
    expect(moment(run.on(soaked(), LOOKED))).toBe('before');
  });

  it('is accepted by skip, and the run goes on', () => {
    const run = failed().on(command('skip', { arguments: { code: 'CCM3107' } }), LOOKED);
    expect(moment(run)).toBe('setAccess');
  });
});

describe('a probe that failed after the handover', () => {
  const at = (policy: Partial<MigrationPolicy>): GivenRun =>
    reached(policy).on(probed([failedProbe('CCM3106')]));

  it('turns the run around where its policy says so', () => {
    const { direction, proofs } = at({ onBreach: 'rollBack' }).state;
    expect(direction.target).toBe('kcm');
    expect(direction.reason).toContain('balancerProbe (CCM3106): no load balancer');
    // What is reached then is probed, too.
    expect(proofs.probes).toEqual({ before: TIMES, after: false });
  });

  it('holds otherwise', () => {
    expect(at({ onBreach: 'hold' }).state.problems.holdReason).toMatchObject({ kind: 'gates' });
  });
});

describe('what is kept of probes', () => {
  const early = step('probeBalancer', {
    effect: { kind: 'probeBalancer', moment: 'before', owner: 'kcm', earlier: null },
  });
  const late = step('probeBalancer', {
    effect: { kind: 'probeBalancer', moment: 'after', owner: 'ccm', earlier: TIMES },
  });

  it.each([
    ['its times, before', early, { probe: TIMES }, { before: TIMES }],
    ['nothing of one whose times an older worker left out', early, {}, {}],
    ['that it was, after', late, { probe: TIMES }, { after: true }],
    ['nothing, of another step', step(), {}, {}],
  ] as const)('%s', (_what, taken, result, kept) => {
    expect(probesAfter({}, planned(taken), result)).toEqual(kept);
  });

  it.each([
    ['both after another gate', 'CCM3101', { before: TIMES, after: true }],
    ['only the first, when the later one failed', 'CCM3106', { before: TIMES }],
    ['only the later one, when the first failed', 'CCM3107', { after: true }],
  ])('%s', (_what, code, kept) => {
    const { proofs, problems } = begun().state;
    const probes = { before: TIMES, after: true };
    const gates = [failedProbe(code)];
    const state = { proofs: { ...proofs, probes }, problems: { ...problems, gates } };
    expect(probesStillDone(state)).toEqual(kept);
    expect(keptProbes({})).toEqual({});
  });
});
