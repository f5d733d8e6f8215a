import {
  type ApplicationFailure,
  CancelledFailure,
  CompleteAsyncError,
  DefaultFailureConverter,
  defaultPayloadConverter,
  ensureApplicationFailure,
} from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { ENCODES_FAILURES } from '../config/names.js';

const CONVERTER = new DefaultFailureConverter({ encodeCommonAttributes: true });

/** Makes a payload of what an activity says when it fails: codecs encrypt payloads, not messages and stack traces. */
export const encodedFailures = {
  execute: async (input, next): Promise<unknown> => {
    try {
      return await next(input);
    } catch (error) {
      throw isEnding(error) ? error : withEncodedText(error);
    }
  },
} as const satisfies ActivityInboundCallsInterceptor;

/** How the SDK recognises a cancelled activity: nothing of ours is in it. */
function isEnding(error: unknown): boolean {
  if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) return true;
  return error instanceof Error && error.name === 'AbortError';
}

/** The same failure, which the SDK sends as it is written here. */
function withEncodedText(error: unknown): ApplicationFailure {
  const failure = ensureApplicationFailure(error);
  failure.failure = CONVERTER.errorToFailure(failure, defaultPayloadConverter);
  return failure;
}

/** The code of workflows, told that their failures are encoded. On one line with it: line numbers stay. */
export function codeThatEncodes(code: string): string {
  return `globalThis.${ENCODES_FAILURES}=true;${code}`;
}
