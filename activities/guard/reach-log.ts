import type { GuardMemory } from '../contract.js';
import type { ActivityLog } from '../dependencies.js';
import { failureTypeOf } from '../failures.js';

/** Logs what became unreachable and what is reachable again, once per change, because rounds come every second. */
export interface ReachLog {
  observed(before: GuardMemory, now: GuardMemory): void;
  failed(error: unknown): void;
}

export function openReachLog(log: ActivityLog, cluster: string): ReachLog {
  let failing = '';
  return {
    observed: (before, now) => {
      if (failing !== '') log.info('the guard observes the cluster again', { cluster });
      failing = '';
      for (const [node, isReachable] of Object.entries(now.reachable)) {
        const wasReachable = before.reachable[node] ?? true;
        if (isReachable === wasReachable) continue;
        if (isReachable) log.info('a node answers again', { cluster, node });
        else log.warn('a node is unreachable', { cluster, node });
      }
    },
    failed: (error) => {
      const why = failureTypeOf(error) ?? messageOf(error);
      if (why === failing) return;
      failing = why;
      log.warn('an observation of the guard failed', { cluster, error: messageOf(error) });
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}
