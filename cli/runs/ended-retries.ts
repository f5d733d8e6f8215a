import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Parameters<Interceptor>[1]>;

/** The SDK's retries, until `end`: then one that waits begins no other call. */
export interface EndedRetries {
  readonly interceptor: Interceptor;
  readonly end: () => void;
}

/**
 * Retries that end with their connection. The SDK's own begin again from a timer, up to ten seconds later: on a closed channel that throws
 * where nothing catches it, and ends the process with a stack trace.
 * Source: @temporalio/client grpc-retry.ts; @grpc/grpc-js internal-channel.ts `createCall`.
 */
export function endedRetries(): EndedRetries {
  let isOver = false;
  const retrying = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
  return {
    interceptor: (options, nextCall) =>
      retrying(options, (again) => (isOver ? SILENT : nextCall(again))),
    end: () => {
      isOver = true;
    },
  };
}

const nothing = (): void => undefined;

/** A call that never ends: nothing waits for it any more. */
const call: Partial<Call> = {
  ...{ start: nothing, sendMessage: nothing, sendMessageWithContext: nothing },
  ...{ startRead: nothing, halfClose: nothing, cancelWithStatus: nothing },
  ...{ getPeer: () => '', getAuthContext: () => null },
};
// eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- all of its public methods; the class has private ones beside them
const SILENT = call as Call;
