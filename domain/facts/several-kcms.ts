import type { ClusterObservation } from '../observation.js';
import type { MigrationPolicy } from '../policy.js';
import { processKey, runningProcesses } from './owners.js';

/**
 * KCMs that run one migrated controller at the same time without any CCM, each with the reason: the name of its main lock, or
 * that it has no leader election. Empty where at most one process runs each controller, or a CCM is among them, because that
 * one can be stopped.
 */
export function severalKcms(
  observation: ClusterObservation,
  { lock }: MigrationPolicy,
): readonly string[] {
  for (const controller of lock.controllers) {
    const running = runningProcesses(observation, controller) ?? [];
    if (running.length > 1 && running.every(({ manager }) => manager === 'kcm')) {
      return running.map((placed) => {
        const { leaderElect, mainLock } = placed.process.config;
        const how = leaderElect
          ? `main lock ${mainLock.namespace}/${mainLock.name}`
          : '--leader-elect=false';
        return `${processKey(placed)} (${how})`;
      });
    }
  }
  return [];
}
