import type { RunTimings } from '../../activities/contract.js';
import { FENCE } from '../../activities/fence/fence-record.js';
import { getFence } from '../../activities/fence/read-fence.js';
import { renewFence } from '../../activities/guard/renew-fence.js';
import type { ClusterPorts, KubernetesApi } from '../../activities/ports.js';

/** Keeps the fence of stories that are not about the guard: by real renewals, whenever somebody reads the fence. */
export interface StandInGuard {
  /** While false nobody renews: the story has a guard of its own, or none. */
  present: boolean;
  /** The same ports, with the fence renewed right before it is read, when a guard would have renewed it by then. */
  beside(ports: ClusterPorts): ClusterPorts;
}

/**
 * A guard whose rounds take no time and happen exactly when they are needed, so that stories in simulated time stay as
 * they are. It sees nothing of the cluster: breaches are the story's own. `api` is the guard's own way to the cluster.
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
    const round = { serverTimeMs, breach: nothingNew, isFirst: false };
    await renewFence(api, { timings }, fence, round);
  };
  return guard;
}
