import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { endedRetries, type EndedRetries } from '../../../cli/runs/ended-retries.js';

/** gRPC's UNAVAILABLE, which the SDK tries again. */
const AWAY = { code: 14, details: 'no connection', metadata: {} };
/** Longer than the first pause of the SDK. */
const LATER_MS = 10_000;

interface Listener {
  readonly onReceiveStatus: (status: typeof AWAY) => void;
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Sends a request by a channel that counts the calls, and answers the first with UNAVAILABLE. */
function unanswered({ interceptor }: EndedRetries): { readonly begun: () => number } {
  const listeners: Listener[] = [];
  const nothing = (): void => undefined;
  const nextCall = (): object => ({
    ...{ sendMessage: nothing, sendMessageWithContext: nothing, halfClose: nothing },
    start: (_metadata: object, listener: Listener) => void listeners.push(listener),
  });
  const call = interceptor({ method_definition: {} } as never, nextCall as never);
  call.start({} as never, {});
  call.sendMessage('a request');
  call.halfClose();
  listeners[0]?.onReceiveStatus(AWAY);
  return { begun: () => listeners.length };
}

describe('a request that no server answers', () => {
  it('is sent again while the connection is open', () => {
    const { begun } = unanswered(endedRetries());
    expect(begun()).toBe(1);
    jest.advanceTimersByTime(LATER_MS);
    expect(begun()).toBe(2);
  });

  it('begins no other call on a connection that was closed meanwhile', () => {
    const retries = endedRetries();
    const { begun } = unanswered(retries);
    retries.end();
    jest.advanceTimersByTime(LATER_MS);
    expect(begun()).toBe(1);
  });
});
