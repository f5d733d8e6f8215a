import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { signBytes } from '../activities/authority/signatures.js';
import { nativeDigest } from '../activities/native-digest.js';
import type { SigningKey } from '../config/access/signing-key-file.js';
import {
  RESULT_TYPE,
  type ResultStatement,
  resultStatementText,
  withSignature,
} from '../domain/evidence/signed-result.js';

type ResultKey = Pick<SigningKey, 'key' | 'keyId'>;

/**
 * Signs what each activity returns, with what it was given: all who may poll its queue can complete a task, but an audit believes
 * only the keys of workers. An activity that returns no object reports nothing.
 */
export function signedResults(key: ResultKey): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        // Before the activity: what it was given must not be what it made of it.
        const given = nativeDigest(argumentsText(input.args));
        const result: unknown = await next(input);
        const { workflowExecution, activityType: activity, activityId } = info;
        if (!isReport(result) || workflowExecution === undefined) return result;
        const { workflowId, runId } = workflowExecution;
        return signedResult(key, { workflowId, runId, activity, activityId, input: given }, result);
      },
    },
  });
}

/** Lists, which only activities of fleets return, have no place for a signature: no audit is about them. */
function isReport(result: unknown): result is object {
  return typeof result === 'object' && result !== null && !Array.isArray(result);
}

/** The result with its signature as last member. */
export function signedResult(
  { key, keyId }: ResultKey,
  about: Omit<ResultStatement, 'result'>,
  result: object,
): object {
  const text = resultStatementText({ ...about, result: nativeDigest(JSON.stringify(result)) });
  return withSignature(result, {
    keyid: keyId,
    sig: signBytes(RESULT_TYPE, Buffer.from(text), key),
  });
}

/** As payloads carry them, one in a line. */
export function argumentsText(given: readonly unknown[]): string {
  return given.map((each) => JSON.stringify(each)).join('\n');
}
