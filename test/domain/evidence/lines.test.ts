import { describe, expect, it } from '@jest/globals';
import { isEvidenceRecord } from '../../../domain/evidence/lines.js';

const INTENT = {
  ...{ actor: 'a', after: '', at: '', before: '', cluster: 'c', id: 'i', object: 'o', step: 's' },
  ...{ planDigest: '', proof: '', reason: 'r', runId: 'r', verb: 'create', workflowId: 'w' },
};

function record(entry: object): object {
  return { sequence: 0, previous: '', hash: '', entry };
}

describe('a record of evidence', () => {
  it('is one by the names of its members, not by how they join', () => {
    const outcome = { at: '', detail: '', kind: 'applied' };
    expect(isEvidenceRecord(record({ kind: 'outcome', intentId: 'i', outcome }))).toBe(true);
    const joined = { 'at,detail': '', kind: 'applied' };
    expect(isEvidenceRecord(record({ kind: 'outcome', intentId: 'i', outcome: joined }))).toBe(
      false,
    );
    const renamed = { at: '', other: '', kind: 'applied' };
    expect(isEvidenceRecord(record({ kind: 'outcome', intentId: 'i', outcome: renamed }))).toBe(
      false,
    );
  });

  it('says who was allowed what, and by which policy where its worker says so', () => {
    const authority = Object.fromEntries(
      'actor at cluster detail principal role runId statement verb verdict workflowId'
        .split(' ')
        .map((name) => [name, '']),
    );
    const isOne = (given: unknown): boolean =>
      isEvidenceRecord(record({ kind: 'authority', authority: given }));
    expect([authority, { ...authority, policy: 'sha256:1' }].map(isOne)).toEqual([true, true]);
    const others = [null, 'ana', { ...authority, policy: null }, { ...authority, more: '' }];
    expect(others.map(isOne)).toEqual([false, false, false, false]);
  });

  const SIGNATURE = { keyid: `sha256:${'0'.repeat(64)}`, sig: `${'A'.repeat(86)}==` };
  it.each<[unknown, boolean]>([
    [SIGNATURE, true],
    [null, false],
    ['signed', false],
    [{ keyid: SIGNATURE.keyid }, false],
    [{ ...SIGNATURE, more: '' }, false],
    [{ ...SIGNATURE, keyid: 1 }, false],
    [{ ...SIGNATURE, keyid: `${SIGNATURE.keyid}0` }, false],
    [{ ...SIGNATURE, sig: 1 }, false],
    [{ ...SIGNATURE, sig: SIGNATURE.sig.slice(1) }, false],
  ])('has the signature of an Ed25519 key, if any: %j', (signature, isOne) => {
    const outcome = { at: '', detail: '', kind: 'applied' };
    const unsigned = record({ kind: 'outcome', intentId: 'i', outcome });
    expect(isEvidenceRecord({ ...unsigned, signature })).toBe(isOne);
  });

  it.each<[unknown, boolean]>([
    [0, true],
    [7, true],
    [-1, false],
    [0.5, false],
    [2 ** 53, false],
    ['1', false],
  ])('has an epoch that every program can count: %s', (epoch, isOne) => {
    expect(isEvidenceRecord(record({ kind: 'intent', intent: { ...INTENT, epoch } }))).toBe(isOne);
  });
});
