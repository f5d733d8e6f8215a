import {
  type ConnectionOptions,
  type ConnectionPlugin,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Parameters<Interceptor>[1]>;

/**
 * A connection of the SDK whose retries end with it. The SDK's own begin again from a timer: after `close` that throws where nothing
 * catches it, and fails the suite that happens to run then.
 */
export function endedRetries(): { readonly plugin: ConnectionPlugin; readonly end: () => void } {
  let isOver = false;
  const retrying = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
  const interceptor: Interceptor = (options, nextCall) =>
    retrying(options, (again) => (isOver ? SILENT : nextCall(again)));
  const plugin: ConnectionPlugin = {
    name: 'ended-retries',
    configureConnection: (options) => ({ ...options, interceptors: [interceptor] }),
  };
  return {
    plugin,
    end: () => {
      isOver = true;
    },
  };
}

const nothing = (): void => undefined;

/** A call that never ends: nothing waits for it any more. */
const SILENT = {
  ...{ start: nothing, sendMessage: nothing, sendMessageWithContext: nothing },
  ...{ startRead: nothing, halfClose: nothing, cancelWithStatus: nothing },
  ...{ getPeer: () => '', getAuthContext: () => null },
} as unknown as Call;
