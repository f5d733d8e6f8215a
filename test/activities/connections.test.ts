import { expect, it } from '@jest/globals';
import type { ActivityDependencies, ClusterConnection } from '../../activities/dependencies.js';
import { quietScope, realClock } from '../../activities/dependencies.js';
import { failure, failureTypeOf } from '../../activities/failures.js';
import { createActivities, createGuardActivities } from '../../activities/index.js';
import { failureOf } from './adapters/http/tls-stub.js';
import { runContext } from './run-context.js';

/** A cluster that refuses everything, and how many views of it are open. */
function refusing(): { readonly dependencies: ActivityDependencies; readonly open: () => number } {
  let open = 0;
  const refuse = (): Promise<never> => Promise.reject(failure('Forbidden', 'no'));
  const port = new Proxy({}, { get: () => refuse }) as never;
  const connection: ClusterConnection = {
    ...{
      api: port,
      files: port,
      processes: port,
      kubelets: port,
      machines: port,
      requests: () => 0,
    },
    close: async () => {
      open -= 1;
    },
  };
  const dependencies: ActivityDependencies = {
    connect: async () => {
      open += 1;
      return connection;
    },
    evidence: port,
    build: 'test',
    clock: realClock,
    log: { info: () => undefined, warn: () => undefined },
    scope: () => quietScope(),
  };
  return { dependencies, open: () => open };
}

it.each(['takeFence', 'guardCluster'] as const)(
  '%s releases its connection though it fails',
  async (name) => {
    const { dependencies, open } = refusing();
    const all = { ...createActivities(dependencies), ...createGuardActivities(dependencies) };
    const error = await failureOf(
      all[name]({ ...runContext(), nonce: 'n', acknowledge: false, memory: null }),
    );
    expect(failureTypeOf(error)).toBe('Forbidden');
    expect(open()).toBe(0);
  },
);
