import { describe, expect, it } from '@jest/globals';
import { withSubject } from '../../../cli/runs/named-subject.js';
import { makeFinding, type FindingCode } from '../../../domain/findings/catalogue.js';
import { gateFindings } from '../../../domain/run/run-findings.js';
import { runStatus, type RunStatus } from '../../../domain/run/run-status.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import { GivenRun } from '../../domain/run/given-run.js';

function held(
  holdReason: RunStatus['holdReason'],
  ...codes: readonly FindingCode[]
): { readonly status: RunStatus } {
  const findings = codes.map((code) => makeFinding(code, { subject: 'it', seen: 'seen' }));
  return { status: { ...runStatus(new GivenRun([]).state), holdReason, findings } };
}

function failing(gate: string, hardness: GateVerdict['hardness'] = 'soft'): GateVerdict {
  return { gate, hardness, verdict: 'fail', detail: 'seen', code: 'CCM3101' };
}

/** Held by the first, as a breach; the others are of the latest soak. */
function heldBy(first: GateVerdict, ...gates: readonly GateVerdict[]) {
  const { status } = held('gates');
  return { status: { ...status, gates, findings: gateFindings([first]) } };
}

describe('the code that an approval is signed with', () => {
  it.each([
    ['the finding that waits', {}, held('blocked', 'CCM2001', 'CCM2007'), { code: 'CCM2007' }],
    ['none, of the handover', {}, held('approval', 'CCM4015'), {}],
    ['none where nothing can be approved', {}, held('blocked', 'CCM2001'), {}],
    ['none of a run that does not answer', {}, { status: null }, {}],
    ['as it was typed', { code: 'CCM2020' }, held('blocked', 'CCM2007'), { code: 'CCM2020' }],
  ])('is %s', (_what, given, view, expected) => {
    expect(withSubject(given, 'approve', view)).toEqual(expected);
  });

  it('is left alone with other verbs', () => {
    expect(withSubject({}, 'reject', held('blocked', 'CCM2007'))).toEqual({});
  });
});

describe('the gate that a skip is signed with', () => {
  const code = 'CCM3101';
  const latency = failing('latency');

  it.each([
    ['the one that holds', { code }, heldBy(latency), { code, gate: 'latency' }],
    [
      'the one that holds in both places',
      { code },
      heldBy(latency, latency),
      { code, gate: 'latency' },
    ],
    [
      'the soft one',
      { code },
      heldBy(failing('quorum', 'hard'), latency),
      { code, gate: 'latency' },
    ],
    ['as it was typed', { code, gate: 'quota' }, heldBy(latency), { code, gate: 'quota' }],
    [
      'none where none holds with that code',
      { code: 'CCM3104' },
      heldBy(latency),
      { code: 'CCM3104' },
    ],
    ['none of a finding', { code: 'CCM2012' }, held('blocked', 'CCM2012'), { code: 'CCM2012' }],
    ['none of a run that does not answer', { code }, { status: null }, { code }],
  ])('is %s', (_what, given, view, expected) => {
    expect(withSubject(given, 'skip', view)).toEqual(expected);
  });

  it('is asked for where several hold', () => {
    const several = heldBy(latency, failing('quota'));
    expect(() => withSubject({ code }, 'skip', several)).toThrow('--gate latency or --gate quota');
  });
});
