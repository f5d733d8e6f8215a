import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  ApplicationFailure,
  CancelledFailure,
  CompleteAsyncError,
  defaultPayloadConverter,
} from '@temporalio/common';
import type { ActivityExecuteInput } from '@temporalio/worker';
import { failure } from '../../activities/failures.js';
import { ENCODES_FAILURES } from '../../config/names.js';
import { codeThatEncodes, encodedFailures } from '../../workers/encode-failures.js';
import { failureConverter } from '../../workflows/failure-converter.js';

/** What the SDK gets when an activity throws `error`. */
async function thrown(error: unknown): Promise<unknown> {
  const { execute } = encodedFailures;
  const input: ActivityExecuteInput = { args: [], headers: {} };
  return execute(input, () => Promise.reject(error as Error)).then(
    () => null,
    (caught: unknown) => caught,
  );
}

const written = (error: unknown) => failureConverter.errorToFailure(error, defaultPayloadConverter);

describe('what a failed activity says', () => {
  it('becomes a payload, with its causes; type, details and retries stay', async () => {
    const cause = new Error('10.0.0.7 refused');
    const error = await thrown(
      failure('Forbidden', 'cp-1 says no', { cause, details: { status: 403 } }),
    );
    expect(error).toBeInstanceOf(ApplicationFailure);
    const sent = written(error);
    expect(JSON.stringify(sent)).not.toMatch(/cp-1|10\.0\.0\.7|\.ts:/);
    expect(sent).toMatchObject({
      ...{ message: 'Encoded failure', stackTrace: '' },
      cause: { message: 'Encoded failure' },
      applicationFailureInfo: { type: 'Forbidden', nonRetryable: true },
    });
    const read = failureConverter.failureToError(sent, defaultPayloadConverter);
    expect(read).toMatchObject({ message: 'cp-1 says no', details: [{ status: 403 }] });
  });

  it('is encoded too where it is no failure of ours', async () => {
    expect(written(await thrown(new TypeError('cp-1 is undefined')))).toMatchObject({
      ...{ message: 'Encoded failure', applicationFailureInfo: { type: 'TypeError' } },
    });
  });

  it.each<readonly [string, Error]>([
    ['cancelled', new CancelledFailure('CANCELLED')],
    ['completed by another', new CompleteAsyncError()],
    ['aborted', Object.assign(new Error('it was aborted'), { name: 'AbortError' })],
  ])('leaves to the SDK how it ends otherwise: %s', async (_how, error) => {
    expect(await thrown(error)).toBe(error);
  });
});

describe('what a failed workflow says', () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, ENCODES_FAILURES);
  });

  const ours = () => ApplicationFailure.create({ type: 'PreflightFailed', message: 'cp-1' });

  it('stays plain without keys', () => {
    expect(written(ours()).message).toBe('cp-1');
  });

  it('becomes a payload with keys; only a bug stays readable', () => {
    Reflect.set(globalThis, ENCODES_FAILURES, true);
    expect([ours(), new CancelledFailure('cp-1')].map((each) => written(each).message)).toEqual([
      'Encoded failure',
      'Encoded failure',
    ]);
    const bugs = [
      new TypeError('no handler'),
      ApplicationFailure.create({ type: 'RangeError', message: 'no handler' }),
    ];
    expect(bugs.map((each) => written(each).message)).toEqual(['no handler', 'no handler']);
  });

  it('the sandbox is told on the first line of its code', () => {
    const code = codeThatEncodes(`globalThis.seen = globalThis.${ENCODES_FAILURES};`);
    const sandbox: Record<string, unknown> = {};
    runInNewContext(code, sandbox);
    expect([sandbox['seen'], code.split('\n').length]).toEqual([true, 1]);
  });
});
