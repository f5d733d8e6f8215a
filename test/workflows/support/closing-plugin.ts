import type { ConnectionPlugin } from '@temporalio/client';
import { endedRetries } from '../../../cli/runs/ended-retries.js';

/** The product's retries for the connection of a test environment, which would have the SDK's: they outlive it. */
export function closingPlugin(): { readonly plugin: ConnectionPlugin; readonly end: () => void } {
  const { interceptor, end } = endedRetries();
  const plugin: ConnectionPlugin = {
    name: 'ended-retries',
    configureConnection: (options) => ({ ...options, interceptors: [interceptor] }),
  };
  return { plugin, end };
}
