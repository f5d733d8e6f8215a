import { describe, expect, it } from '@jest/globals';
import {
  resultStatementText,
  splitSigned,
  withSignature,
} from '../../../domain/evidence/signed-result.js';

const SIGNATURE = { keyid: `sha256:${'0'.repeat(64)}`, sig: `${'A'.repeat(86)}==` };

describe('a result that a worker signs', () => {
  it.each([{}, { epoch: 1 }, { text: '"signature":{}', nested: { signature: SIGNATURE } }])(
    'is carried as it was, with the signature at its end: %j',
    (result) => {
      const carried = JSON.stringify(withSignature(result, SIGNATURE));
      expect(splitSigned(carried)).toEqual({ text: JSON.stringify(result), signature: SIGNATURE });
    },
  );

  it.each([
    ['nothing', '{"epoch":1}'],
    ['a key of another form', `{"signature":{"keyid":"x","sig":"${SIGNATURE.sig}"}}`],
    ['a signature that is cut', `{"signature":{"keyid":"${SIGNATURE.keyid}","sig":"AA=="}}`],
    ['something after it', `${JSON.stringify(withSignature({}, SIGNATURE))} `],
    ['no text', ''],
  ])('is unsigned with %s', (_case, carried) => {
    expect(splitSigned(carried)).toEqual({ text: carried, signature: null });
  });

  it('is bound to what it was asked for', () => {
    const about = { workflowId: 'w', runId: 'r', activity: 'executeStep', activityId: '3' };
    expect(resultStatementText({ ...about, input: 'i', result: 'o' })).toBe(
      '{"activity":"executeStep","activityId":"3","input":"i","result":"o","runId":"r","workflowId":"w"}',
    );
  });
});
