import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import {
  ApplicationFailure,
  CancelledFailure,
  DefaultFailureConverter,
  defaultPayloadConverter,
} from '@temporalio/common';
import { failure, failureDetailsOf, failureTypeOf } from '../../activities/failures.js';
import { FAILURES, type FailureType, isFailureType } from '../../domain/failures.js';

const TYPES = Object.keys(FAILURES).filter((type): type is FailureType => isFailureType(type));

describe('failure', () => {
  it.each(TYPES)('%s is retried by Temporal only if no person has to act', (type) => {
    const made = failure(type, 'm');
    expect(made.type).toBe(type);
    expect(made.nonRetryable).toBe(FAILURES[type] !== 'retry');
    expect(failureTypeOf(made)).toBe(type);
  });

  it('a throttled failure carries Retry-After and is no incident', () => {
    expect(failure('Throttled', 'm', { nextRetryDelayMs: 1500 })).toMatchObject({
      nextRetryDelay: 1500,
      category: 'BENIGN',
    });
    expect(failure('Unavailable', 'm').category).not.toBe('BENIGN');
  });

  it('a failure holds no secret in message, details, cause, text, JSON or Temporal payload', () => {
    const cause = Object.assign(new Error('Bearer canary-in-cause'), {
      headers: { authorization: 'Bearer canary-in-headers' },
      cause: new Error('canary-in-cause-of-cause'),
    });
    const made = failure('Unavailable', 'https://ana:canary-in-url@host token: canary-in-message', {
      details: { note: 'Bearer canary-in-details' },
      cause,
    });
    const proto = new DefaultFailureConverter().errorToFailure(made, defaultPayloadConverter);
    const payloads = proto.applicationFailureInfo?.details?.payloads ?? [];
    const shown = [
      String(made),
      made.stack,
      JSON.stringify(made),
      inspect(made, { depth: 10 }),
      JSON.stringify(proto),
      ...payloads.map((payload) => Buffer.from(payload.data ?? []).toString()),
    ].join('\n');
    expect(shown).not.toContain('canary');
  });

  it('our failures are distinguished from foreign ones', () => {
    expect(failureTypeOf(ApplicationFailure.create({ type: 'SomethingElse' }))).toBeNull();
    expect(failureTypeOf(ApplicationFailure.create({}))).toBeNull();
    expect(failureTypeOf(new CancelledFailure('c'))).toBeNull();
    expect(failureTypeOf(undefined)).toBeNull();
  });

  it('a failure returns its details, and a foreign one has none', () => {
    const made = failure('Conflict', 'm', { details: { status: 409, reason: 'AlreadyExists' } });
    expect(failureDetailsOf(made)).toEqual({ status: 409, reason: 'AlreadyExists' });
    expect(failureDetailsOf(failure('Conflict', 'm'))).toEqual({});
    expect(failureDetailsOf(new Error('m'))).toEqual({});
  });
});
