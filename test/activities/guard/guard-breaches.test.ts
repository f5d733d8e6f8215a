import { describe, expect, it } from '@jest/globals';
import { breachChange } from '../../../activities/guard/guard-memory.js';
import type { FenceRecord } from '../../../activities/fence/fence-record.js';
import type { GateVerdict, Verdict } from '../../../domain/gates/verdicts.js';

describe('what the guard notes in the fence', () => {
  const fence = (breach: string): FenceRecord => ({
    resourceVersion: '1',
    runId: 'r',
    workflowId: 'w',
    actor: 'a',
    epoch: 1,
    guardedEpoch: 1,
    nonce: 'n',
    breach,
    acknowledged: [],
    displaced: '',
    ended: [],
    mode: 'active',
    renewedAtMs: 0,
  });
  const verdict = (code: string, value: Verdict, detail = 'x'): GateVerdict => ({
    gate: 'g',
    hardness: 'hard',
    verdict: value,
    detail,
    code,
  });

  it.each([
    ['a new breach', '', [verdict('CCM3001', 'fail')], true, 'CCM3001 g: x'],
    [
      'the same breach with other figures',
      'CCM3001 g: x',
      [verdict('CCM3001', 'fail', 'y')],
      false,
      'CCM3001 g: y',
    ],
    [
      'a second breach',
      'CCM3001 g: x',
      [verdict('CCM3001', 'fail'), verdict('CCM3005', 'fail')],
      true,
      'CCM3001 g: x\nCCM3005 g: x',
    ],
    ['a breach that was cured', 'CCM3001 g: x', [verdict('CCM3001', 'pass')], true, ''],
    [
      'a breach that can no longer be read, and stays',
      'CCM3001 g: x',
      [verdict('CCM3001', 'error')],
      false,
      'CCM3001 g: x',
    ],
    ['an unreadable state alone, which is no breach', '', [verdict('CCM3001', 'error')], false, ''],
  ] as const)(
    'the guard keeps the breaches in the fence up to date: %s',
    (_name, before, verdicts, changed, text) => {
      expect(breachChange(fence(before), verdicts)).toEqual({ changed, text });
    },
  );
});
