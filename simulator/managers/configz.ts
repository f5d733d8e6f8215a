import type { ManagerProcess } from './manager-process.js';

const KEYS = {
  kcm: 'kubecontrollermanager.config.k8s.io',
  ccm: 'cloudcontrollermanager.config.k8s.io',
} as const;

/** Body of `/configz`: what the process runs with, whatever its file says by now. */
export function configzText(process: ManagerProcess): string {
  const { settings } = process;
  const migration = settings?.migration ?? null;
  const generic = {
    LeaderElection: {
      leaderElect: settings?.leaderElect ?? false,
      resourceName: settings?.mainLock.name ?? '',
      resourceNamespace: settings?.mainLock.namespace ?? '',
      leaseDuration: `${String((settings?.timings.leaseMs ?? 0) / 1000)}s`,
      renewDeadline: `${String((settings?.timings.renewDeadlineMs ?? 0) / 1000)}s`,
      retryPeriod: `${String((settings?.timings.retryMs ?? 0) / 1000)}s`,
    },
    Controllers: settings?.flags.list('controllers', ['*']) ?? [],
    LeaderMigrationEnabled: migration !== null,
    LeaderMigration: {
      LeaderName: migration?.leaderName ?? '',
      ResourceLock: migration?.resourceLock ?? '',
      ControllerLeaders: [...(migration?.components ?? [])].map(([Name, Component]) => ({
        Name,
        Component,
      })),
    },
  };
  return JSON.stringify({ [KEYS[process.manager]]: { Generic: generic } });
}
