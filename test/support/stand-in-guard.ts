import { FENCE } from '../../activities/fence/fence-record.js';
import { getFence } from '../../activities/fence/read-fence.js';
import { renewFence } from '../../activities/guard/fence-watch.js';
import type { ClusterPorts, KubernetesApi } from '../../activities/ports.js';
import type { RunTimings } from '../../domain/policy.js';

/** Keeps the fence in stories that are not about the guard: by real renewals, whenever the fence is read. */
export interface StandInGuard {
  /** While false nothing renews: the story has its own guard, or none. */
  present: boolean;
  /** The same ports, with the fence renewed right before it is read, if a guard would have renewed it by then. */
  beside(ports: ClusterPorts): ClusterPorts;
}

/**
 * A guard whose rounds take no time and happen exactly when needed, so that stories in simulated time are not changed by it. It observes
 * nothing of the cluster: breaches are up to the story. `api` is the guard's own connection to the cluster.
 */
export function standInGuard(api: KubernetesApi, timings: RunTimings): StandInGuard {
  const guard: StandInGuard = {
    present: true,
    beside: (ports) => {
      const { get, list } = ports.api;
      return {
        ...ports,
        api: {
          ...ports.api,
          get: async (ref, options) => {
            if (ref.kind === 'Lease' && ref.name === FENCE.name) await renew();
            // Handed on as it comes.
            return get(ref, options) as never;
          },
          list: async (ref, options) => {
            if (ref.kind === 'Lease' && ref.namespace === FENCE.namespace) await renew();
            return list(ref, options) as never;
          },
        },
      };
    },
  };
  const renew = async (): Promise<void> => {
    if (!guard.present) return;
    const { fence, serverTimeMs } = await getFence(api);
    if (fence === null || fence.runId === '') return;
    const nothingNew = { changed: false, text: '' };
    const round = { serverTimeMs, breach: nothingNew, isFirst: false, metrics: [] };
    await renewFence(api, { timings }, fence, round);
  };
  return guard;
}
