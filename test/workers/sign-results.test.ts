import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isSignedBy, signBytes } from '../../activities/authority/signatures.js';
import { nativeDigest } from '../../activities/native-digest.js';
import {
  RESULT_TYPE,
  resultStatementText,
  splitSigned,
} from '../../domain/evidence/signed-result.js';
import { signedResults } from '../../workers/sign-results.js';

const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const keyId = nativeDigest(spki);
const WORKFLOW = { workflowId: 'w', runId: 'r' };

/** What the worker returns for an activity that returns `result`. */
async function returned(result: unknown): Promise<unknown> {
  const given: Record<string, unknown> = { a: 1 };
  const info = { workflowExecution: WORKFLOW, activityType: 'executeStep', activityId: '3' };
  const context = { info } as unknown as Parameters<ReturnType<typeof signedResults>>[0];
  const { inbound } = signedResults({ key, keyId })(context);
  const next = (): Promise<unknown> => {
    given['a'] = 'what the activity made of it';
    return Promise.resolve(result);
  };
  const input = { args: [given], headers: {} };
  return inbound?.execute?.(input, next);
}

describe('what a worker returns', () => {
  it('is signed with what the activity was given, not with what it made of it', async () => {
    const { text, signature } = splitSigned(JSON.stringify(await returned({ epoch: 1 })));
    expect(text).toBe('{"epoch":1}');
    const about = { ...WORKFLOW, activity: 'executeStep', activityId: '3' };
    const digests = { input: nativeDigest('{"a":1}'), result: nativeDigest(text) };
    const bytes = Buffer.from(resultStatementText({ ...about, ...digests }));
    expect(signature?.keyid).toBe(keyId);
    expect(isSignedBy(spki, RESULT_TYPE, bytes, signature?.sig ?? '')).toBe(true);
    expect(isSignedBy(spki, 'another type', bytes, signature?.sig ?? '')).toBe(false);
  });

  it('is signed in one spelling only: no letter of the signature can be changed', () => {
    const bytes = Buffer.from('x');
    const sig = signBytes(RESULT_TYPE, bytes, key);
    const last = sig.at(-3) ?? '';
    // Node reads both as the same bytes, because the last bits of this letter stand for nothing.
    const other = sig.slice(0, -3) + String.fromCharCode(last.charCodeAt(0) + 1) + sig.slice(-2);
    expect(Buffer.from(other, 'base64')).toEqual(Buffer.from(sig, 'base64'));
    expect(isSignedBy(spki, RESULT_TYPE, bytes, sig)).toBe(true);
    expect(isSignedBy(spki, RESULT_TYPE, bytes, other)).toBe(false);
  });

  it.each([[undefined], [null], ['text'], [['a list', 'of a fleet']]])(
    'is left alone where it reports nothing: %j',
    async (result) => {
      expect(await returned(result)).toBe(result);
    },
  );

  it('is left alone outside a workflow', async () => {
    const result = { epoch: 1 };
    const info = { activityType: 'x', activityId: '1' };
    const context = { info } as unknown as Parameters<ReturnType<typeof signedResults>>[0];
    const next = (): Promise<unknown> => Promise.resolve(result);
    const { inbound } = signedResults({ key, keyId })(context);
    expect(await inbound?.execute?.({ args: [], headers: {} }, next)).toBe(result);
  });
});
