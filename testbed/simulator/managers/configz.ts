import type { MigrationConfiguration } from './leader-migration-file.js';
import type { ManagerSettings } from './settings.js';
import type { SimulatedManager } from './simulated-manager.js';

const KEYS = {
  kcm: 'kubecontrollermanager.config.k8s.io',
  ccm: 'cloudcontrollermanager.config.k8s.io',
} as const;

/**
 * Body of `/configz`: what the process runs with, even if its file has changed since, under Go's own names (seen on
 * 1.30.14).
 */
export function configzText({ manager, settings }: SimulatedManager): string {
  const generic = settings === null ? {} : genericPart(settings);
  return JSON.stringify({ [KEYS[manager]]: { Generic: generic } });
}

function genericPart({
  leaderElect,
  mainLock,
  timings,
  flags,
  migration,
}: ManagerSettings): object {
  const seconds = (ms: number): string => `${String(ms / 1000)}s`;
  return {
    LeaderElection: {
      LeaderElect: leaderElect,
      LeaseDuration: seconds(timings.leaseMs),
      RenewDeadline: seconds(timings.renewDeadlineMs),
      RetryPeriod: seconds(timings.retryMs),
      ResourceLock: 'leases',
      ResourceName: mainLock.name,
      ResourceNamespace: mainLock.namespace,
    },
    Controllers: flags.list('controllers', ['*']),
    LeaderMigrationEnabled: migration !== null,
    LeaderMigration: migrationPart(migration),
  };
}

function migrationPart(migration: MigrationConfiguration | null): object {
  if (migration === null) return { LeaderName: '', ResourceLock: '', ControllerLeaders: [] };
  const { leaderName, resourceLock, components } = migration;
  const leaders = [...components].map(([Name, Component]) => ({ Name, Component }));
  return { LeaderName: leaderName, ResourceLock: resourceLock, ControllerLeaders: leaders };
}
