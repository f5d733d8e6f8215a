import type { ClusterObservation } from '../observation.js';
import type { MigrationPolicy } from '../policy.js';
import { processKey, runningProcesses } from './owners.js';

/**
 * KCMs that run one migrated controller together without any CCM, with what lets them: the name of their main lock, or that
 * they elect nobody. Empty where one process at most runs each controller, or a CCM is among them: that one can be stopped.
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
