import type { Manager } from '../../../domain/vocabulary.js';
import type { ApiRequester } from '../../base/auth/requester.js';
import type { ElectionTimings } from '../electors/elector.js';
import {
  CCM_BUILDS,
  DISABLE_CLOUD_PROVIDERS,
  EXPIRY_BY,
  KCM_IN_TREE,
  LAST_IN_TREE_MINOR,
  LEADER_MIGRATION_GATE,
  type CcmBuild,
} from '../versions/behaviour.js';
import { minorNumber, valueFor } from '../versions/by-minor.js';
import { readCommandLine, type CommandLine } from './command-line.js';
import { readApiUser } from './api-user.js';
import { MANAGER_NAMES } from '../../base/manager-names.js';
import { versionOfImage, type Launch } from './launch.js';
import {
  builtInConfiguration,
  readConfiguration,
  refuse,
  type ConfigurationAnswer,
  type MigrationConfiguration,
} from './leader-migration-file.js';

export interface LockName {
  readonly namespace: string;
  readonly name: string;
}

/** A manager's settings as its process read them at its start. */
export interface ManagerSettings {
  readonly manager: Manager;
  readonly version: string;
  readonly minor: number;
  readonly flags: CommandLine;
  readonly cloudProvider: string;
  readonly build: CcmBuild | undefined;
  readonly leaderElect: boolean;
  readonly mainLock: LockName;
  readonly timings: ElectionTimings;
  readonly expiryBy: 'own' | 'record';
  /** Null while Leader Migration has no effect on this process. */
  readonly migration: MigrationConfiguration | null;
  readonly user: ApiRequester;
  /** An error that surfaces only once the process leads (it builds the provider then). */
  readonly failsWhenLeading: string | undefined;
}

/** The settings that decide which loops a process runs under which lock. */
export type LoopSettings = Pick<
  ManagerSettings,
  'manager' | 'minor' | 'flags' | 'cloudProvider' | 'migration'
>;

export type SettingsAnswer =
  | { readonly ok: true; readonly settings: ManagerSettings }
  | { readonly ok: false; readonly message: string };

/** Leader Migration was introduced in 1.21: the simulator has no older binaries. */
const OLDEST_MINOR = 21;

/** Reads flags and files as the binary does; on an error the process exits at once. */
export function readSettings(launch: Launch): SettingsAnswer {
  const version = versionOfImage(launch.image);
  const minor = minorNumber(version ?? '');
  if (version === undefined || minor === undefined || minor < OLDEST_MINOR)
    return refuse(`no such image: ${launch.image}`);
  const flags = readCommandLine(launch.arguments);
  const cloudProvider = flags.text('cloud-provider', '');
  const startError = gateError(flags, minor) ?? providerError(launch.manager, cloudProvider, minor);
  if (startError !== undefined) return refuse(startError);
  const build = CCM_BUILDS.find(
    (each) => launch.manager === 'ccm' && launch.image.includes(each.word),
  );
  const migration = readMigration(launch, flags, minor, build);
  if (!migration.ok) return refuse(migration.message);
  const user = readApiUser(launch, flags);
  if (!user.ok) return refuse(user.message);
  return {
    ok: true,
    settings: {
      manager: launch.manager,
      version,
      minor,
      flags,
      cloudProvider,
      build,
      leaderElect: flags.bool('leader-elect', true),
      mainLock: mainLockOf(launch.manager, flags),
      timings: timingsOf(flags),
      expiryBy: valueFor(EXPIRY_BY, minor),
      migration: migration.configuration,
      user: user.user,
      failsWhenLeading:
        inTreeError(launch.manager, cloudProvider, minor, flags) ??
        lockTypeError(migration.configuration),
    },
  };
}

function mainLockOf(manager: Manager, flags: CommandLine): LockName {
  return {
    namespace: flags.text('leader-elect-resource-namespace', 'kube-system'),
    name: flags.text('leader-elect-resource-name', MANAGER_NAMES[manager]),
  };
}

function timingsOf(flags: CommandLine): ElectionTimings {
  return {
    leaseMs: flags.durationMs('leader-elect-lease-duration', 15_000),
    renewDeadlineMs: flags.durationMs('leader-elect-renew-deadline', 10_000),
    retryMs: flags.durationMs('leader-elect-retry-period', 2000),
  };
}

type MigrationAnswer = ConfigurationAnswer | { readonly ok: true; readonly configuration: null };

/** Disabled without the flag, without leader election (silently), and in builds that ignore it. */
export function readMigration(
  launch: Pick<Launch, 'readFile'>,
  flags: CommandLine,
  minor: number,
  build: CcmBuild | undefined,
): MigrationAnswer {
  const isOn = flags.bool('enable-leader-migration', false) && flags.bool('leader-elect', true);
  if (!isOn || build?.honoursLeaderMigration === false) return { ok: true, configuration: null };
  const path = flags.text('leader-migration-config', '');
  if (path === '') return builtInConfiguration(minor);
  const text = launch.readFile(path);
  if (text === undefined) return refuse(`open ${path}: no such file or directory`);
  return readConfiguration(text, minor);
}

function gateError(flags: CommandLine, minor: number): string | undefined {
  const migration = flags.gate('ControllerManagerLeaderMigration');
  if (migration !== undefined && valueFor(LEADER_MIGRATION_GATE, minor) === null) {
    return 'unrecognized feature gate: ControllerManagerLeaderMigration';
  }
  const disable = flags.gate('DisableCloudProviders');
  const state = valueFor(DISABLE_CLOUD_PROVIDERS, minor);
  if (disable !== undefined && state === null)
    return 'unrecognized feature gate: DisableCloudProviders';
  if (disable === false && state === 'locked') {
    return 'cannot set feature gate DisableCloudProviders to false, feature is locked to true';
  }
  return undefined;
}

function providerError(manager: Manager, provider: string, minor: number): string | undefined {
  const isPlain = provider === '' || provider === 'external';
  if (manager === 'ccm') return provider === '' ? '--cloud-provider cannot be empty' : undefined;
  return isPlain || valueFor(KCM_IN_TREE, minor) === 'loops'
    ? undefined
    : `unsupported value "${provider}" for --cloud-provider`;
}

/**
 * KCM only: a provider whose code was removed, or that the gate disables, ends the process after it acquired the main
 * lock.
 */
function inTreeError(
  manager: Manager,
  provider: string,
  minor: number,
  flags: CommandLine,
): string | undefined {
  const last = manager === 'kcm' ? LAST_IN_TREE_MINOR[provider] : undefined;
  if (last === undefined) return undefined;
  if (minor > last.minor) return `unknown cloud provider "${provider}"`;
  const state = valueFor(DISABLE_CLOUD_PROVIDERS, minor);
  const isDisabled = flags.gate('DisableCloudProviders') ?? (state === 'on' || state === 'locked');
  return isDisabled
    ? `cloud provider ${provider} was specified, but built-in cloud providers are disabled`
    : undefined;
}

/** `endpoints` passes validation; building the lock fails after the main lock is acquired. */
function lockTypeError(migration: MigrationConfiguration | null): string | undefined {
  return migration?.resourceLock === 'endpoints'
    ? 'endpoints lock is removed, migrate to leases'
    : undefined;
}
