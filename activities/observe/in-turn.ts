import type { ClusterPorts } from '../ports.js';

/** Waits until the request before it is done, or late. */
type Lane = <T>(request: () => Promise<T>) => Promise<T>;

/**
 * After so long, a request holds up the others no more: one that hangs delays an observation by this much and not by its
 * deadline. An API server mostly answers within a few milliseconds.
 */
const LATE_MS = 250;

/**
 * The ports of one observation that nothing waits for: its requests are sent one after the other, so that they need one
 * connection. A cluster that rests otherwise holds open as many as it once needed abreast, and each costs a worker with
 * hundreds of such clusters memory and a descriptor. Every request keeps its whole deadline. Only for reads, and for one
 * observation: what an abandoned one still has to send holds up no later one.
 */
export function inTurn(ports: ClusterPorts): ClusterPorts {
  const { api, files, processes, machines } = ports;
  const lane = openLane();
  return {
    ...ports,
    api: {
      ...api,
      serverVersion: (options) => lane(() => api.serverVersion(options)),
      get: (ref, options) => lane(() => api.get(ref, options)),
      list: (ref, options) => lane(() => api.list(ref, options)),
      // Reviews: created only for their answer.
      create: (object, options) => lane(() => api.create(object, options)),
    },
    files: { ...files, read: (...given) => lane(() => files.read(...given)) },
    processes: { ...processes, snapshot: (...given) => lane(() => processes.snapshot(...given)) },
    machines:
      machines === null
        ? null
        : { ...machines, list: (options) => lane(() => machines.list(options)) },
  };
}

/** For readers of something else than a whole observation. */
export function openLane(): Lane {
  let last: Promise<void> = Promise.resolve();
  return async (request) => {
    const before = last;
    let pass = (): void => undefined;
    last = new Promise((resolve) => {
      pass = resolve;
    });
    await before;
    const late = setTimeout(pass, LATE_MS);
    try {
      return await request();
    } finally {
      clearTimeout(late);
      pass();
    }
  };
}
