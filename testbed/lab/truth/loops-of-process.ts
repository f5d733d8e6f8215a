import { MANAGER_NAMES } from '../../base/manager-names.js';
import { isOwned, type OwnedController } from '../../base/truth/truth.js';
import { readCommandLine, type CommandLine } from '../../simulator/managers/command-line.js';
import { planLoops } from '../../simulator/managers/loop-plan.js';
import { readMigration } from '../../simulator/managers/settings.js';
import { minorNumber } from '../../simulator/versions/by-minor.js';
import type { ProcessLife } from './process-lives.js';

/** What a process runs and since when: from its start without leader election, else from the moment it holds a Lease. */
export interface LoopsOfProcess {
  /** `namespace/name` of its main Lease; null without leader election. */
  readonly mainLease: string | null;
  /** Null when it never attempts a migration Lease. */
  readonly migrationLease: string | null;
  readonly underMain: readonly OwnedController[];
  readonly underMigration: readonly OwnedController[];
}

export type LoopsAnswer =
  | { readonly ok: true; readonly loops: LoopsOfProcess }
  | { readonly ok: false; readonly why: string };

/** Derived from its arguments, its Leader Migration file and the facts about its version (simulator/versions). */
export function loopsOfProcess(life: ProcessLife): LoopsAnswer {
  const { manager, version, migrationFile } = life;
  const minor = version === null ? undefined : minorNumber(version);
  if (minor === undefined) return { ok: false, why: 'its program is not one of the lab’s' };
  const flags = readCommandLine(life.arguments);
  const launch = { readFile: () => migrationFile ?? undefined };
  const migration = readMigration(launch, flags, minor, undefined);
  if (!migration.ok) return { ok: false, why: migration.message };
  const cloudProvider = flags.text('cloud-provider', '');
  const { configuration } = migration;
  const plan = planLoops({ manager, minor, flags, cloudProvider, migration: configuration });
  const namespace = flags.text('leader-elect-resource-namespace', 'kube-system');
  const tries = plan.contendsForMigrationLock && configuration !== null;
  return {
    ok: true,
    loops: {
      mainLease: mainLeaseOf(life, flags, namespace),
      migrationLease: tries ? `${namespace}/${configuration.leaderName}` : null,
      underMain: plan.underMain.filter(isOwned),
      underMigration: plan.underMigration.filter(isOwned),
    },
  };
}

function mainLeaseOf(
  { manager }: ProcessLife,
  flags: CommandLine,
  namespace: string,
): string | null {
  if (!flags.bool('leader-elect', true)) return null;
  return `${namespace}/${flags.text('leader-elect-resource-name', MANAGER_NAMES[manager])}`;
}
