import { describe, expect, it } from '@jest/globals';
import { readVerdict } from '../../../domain/run/read-verdict.js';

const SUSPECT = {
  gate: 'cloudErrors',
  hardness: 'soft',
  verdict: 'inconclusive',
  detail: '3 of 40 calls failed',
  code: 'CCM3102',
} as const;

const ANY_BREACH = {
  gate: 'guard',
  hardness: 'hard',
  verdict: 'fail',
  detail: 'the guard reported a breach',
  code: 'CCM4023',
};

describe('a signalled verdict', () => {
  it.each([
    ['a suspicion of a soft gate', SUSPECT],
    ['a hard one that could not be measured', { ...SUSPECT, hardness: 'hard', verdict: 'error' }],
    ['a note', { ...SUSPECT, noted: true }],
    ['one without a detail', { ...SUSPECT, detail: '' }],
  ])('%s keeps what it says', (_what, sent) => {
    expect(readVerdict(sent)).toEqual(sent);
  });

  it('numbers and unknown members are left out', () => {
    expect(readVerdict({ ...SUSPECT, noted: 'yes', numbers: { value: 1 }, more: 1 })).toEqual(
      SUSPECT,
    );
  });

  it.each([
    ['no object', 'unreadable'],
    ['nothing', null],
    ['an empty object', {}],
  ])('%s is a breach of the guard', (_what, sent) => {
    expect(readVerdict(sent)).toEqual(ANY_BREACH);
  });

  it.each([
    ['hardness', { hardness: 'weak' }, {}],
    ['verdict', { verdict: 'pas' }, {}],
    ['gate', { gate: 7 }, { gate: 'guard' }],
    ['code', { code: '' }, { code: 'CCM4023' }],
  ])('without a readable %s it is hard and failed', (_what, changes, read) => {
    const { gate, detail, code } = SUSPECT;
    const expected = { gate, hardness: 'hard', verdict: 'fail', detail, code, ...read };
    expect(readVerdict({ ...SUSPECT, ...changes })).toEqual(expected);
  });
});
