import { describe, expect, it } from '@jest/globals';
import { withCode } from '../../../cli/runs/approved-code.js';
import { makeFinding, type FindingCode } from '../../../domain/findings/catalogue.js';
import { runStatus, type RunStatus } from '../../../domain/run/run-status.js';
import { GivenRun } from '../../domain/run/given-run.js';

function held(
  holdReason: RunStatus['holdReason'],
  ...codes: readonly FindingCode[]
): { readonly status: RunStatus } {
  const findings = codes.map((code) => makeFinding(code, { subject: 'it', seen: 'seen' }));
  return { status: { ...runStatus(new GivenRun([]).state), holdReason, findings } };
}

describe('the code that an approval is signed with', () => {
  it.each([
    ['the finding that waits', {}, held('blocked', 'CCM2001', 'CCM2007'), { code: 'CCM2007' }],
    ['none, of the handover', {}, held('approval', 'CCM4015'), {}],
    ['none where nothing can be approved', {}, held('blocked', 'CCM2001'), {}],
    ['none of a run that does not answer', {}, { status: null }, {}],
    ['as it was typed', { code: 'CCM2020' }, held('blocked', 'CCM2007'), { code: 'CCM2020' }],
  ])('is %s', (_what, given, view, expected) => {
    expect(withCode(given, 'approve', view)).toEqual(expected);
  });

  it('is left alone with other verbs', () => {
    expect(withCode({}, 'reject', held('blocked', 'CCM2007'))).toEqual({});
  });
});
