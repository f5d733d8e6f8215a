import { isSwitchedOn } from './controller-list.js';
import { hasCloudLoops } from './in-tree-providers.js';
import { minorOf } from './minors.js';
import { COMPONENTS, isEnabled, SERVICE_ACCOUNT_TOKEN } from './controller-names.js';
import { effectiveLeaderMigration } from './effective-leader-migration.js';
import type { LeaderMigration, LeaseTimings, ManagerConfig } from '../observation/observation.js';
import type { CcmPolicy } from '../policy.js';
import type { CloudController, Manager } from '../vocabulary.js';
import type { Argument } from './arguments.js';
import { durationSeconds, listFlag, parseArguments, switchFlag, textFlag } from './arguments.js';

/** What a manager is started with; its manifest says it, or its process and the image that it is of. */
export interface ManagerCommand {
  readonly image: string;
  /** Arguments after the program. */
  readonly arguments: readonly string[];
}

/** What the settings of a manager depend on beside its command. */
export interface SettingsContext {
  /** The file that `--leader-migration-config` names; null when it is missing, left out when it was not read. */
  readonly leaderMigrationFile?: string | null | undefined;
  /** Digest of the file that `--cloud-config` names; null when it is missing, left out when it was not read. */
  readonly cloudConfigHash?: string | null | undefined;
  /**
   * Version of the binary where the image tag does not show it; for a CCM that of its k8s.io/cloud-provider library.
   */
  readonly versionHint?: string;
  /** Whether a CCM build honours Leader Migration. Default `implemented`. */
  readonly leaderMigrationSupport?: CcmPolicy['leaderMigration'];
}

/** First KCM minor that skips the migration election without the token controller. Source: KCM app/controllermanager.go, about v1.29; measured on 1.30.14. */
const ELECTION_NEEDS_TOKEN_CONTROLLER_SINCE = 29;

/**
 * The settings of a manager as they take effect, upstream's defaults filled in.
 * Sources: k8s.io/component-base config/v1alpha1/defaults.go (15/10/2 s); k8s.io/cloud-provider
 * options/{options,kubecloudshared}.go v0.30; kubernetes/kubernetes cmd/kube-controller-manager/app/{core,options}.
 */
export function managerConfig(
  manager: Manager,
  { image, arguments: words }: ManagerCommand,
  context: SettingsContext,
): ManagerConfig {
  const flags = parseArguments(words);
  const text = (name: string, byDefault: string): string => textFlag(flags, name) ?? byDefault;
  const version = context.versionHint ?? imageVersion(image);
  const controllers = listFlag(flags, 'controllers') || '*';
  return {
    manager,
    image,
    version,
    cloudProvider: text('cloud-provider', ''),
    cloudLoops: cloudLoops(manager, flags, controllers, version),
    leaderElect: switchFlag(flags, 'leader-elect', true),
    mainLock: {
      namespace: text('leader-elect-resource-namespace', 'kube-system'),
      name: text('leader-elect-resource-name', COMPONENTS[manager]),
    },
    timings: timings(flags),
    leaderMigration: leaderMigration(manager, flags, version, context),
    contendsForMigrationLock: contendsForMigrationLock(manager, controllers, version),
    clusterName: text('cluster-name', 'kubernetes'),
    clusterCidr: text('cluster-cidr', ''),
    routes: routes(manager, flags, controllers),
    controllers,
    cloudConfigHash: cloudConfigHash(text('cloud-config', ''), context),
    ...rarities(flags, controllers),
  };
}

/** Settings that most managers do not have; left out to keep observations small. */
function rarities(
  flags: readonly Argument[],
  controllers: string,
): Pick<ManagerConfig, 'featureGates' | 'cidrAllocator'> {
  const featureGates = listFlag(flags, 'feature-gates');
  const allocator = cidrAllocator(flags, controllers);
  return {
    ...(featureGates === '' ? {} : { featureGates }),
    ...(allocator === '' ? {} : { cidrAllocator: allocator }),
  };
}

function leaderMigration(
  manager: Manager,
  flags: readonly Argument[],
  version: string,
  { leaderMigrationFile, leaderMigrationSupport }: SettingsContext,
): LeaderMigration {
  const asked = switchFlag(flags, 'enable-leader-migration', false);
  return effectiveLeaderMigration({
    manager,
    version,
    namespace: textFlag(flags, 'leader-elect-resource-namespace') ?? 'kube-system',
    on: asked && switchFlag(flags, 'leader-elect', true) && leaderMigrationSupport !== 'absent',
    featureGates: listFlag(flags, 'feature-gates'),
    path: textFlag(flags, 'leader-migration-config') ?? '',
    file: leaderMigrationFile,
  });
}

/** `v1.30.14` of an image's tag as `1.30.14`; empty when the tag is no version. */
export function imageVersion(image: string): string {
  const tag = /:v?([01]\.\d+\.\d+[\w.+-]*)(?:@|$)/.exec(image);
  return tag?.[1] ?? '';
}

/** Where the version is unknown, assuming the newest names and rules is the safe choice. */
function minorOrNewest(version: string): number {
  return minorOf(version) ?? Number.MAX_SAFE_INTEGER;
}

const LOOPS: readonly CloudController[] = ['service', 'route', 'cloud-node-lifecycle'];

/** A KCM of unknown version counts as having loops when a provider is named: not knowing must not hide an owner. */
function cloudLoops(
  manager: Manager,
  flags: readonly Argument[],
  controllers: string,
  version: string,
): boolean {
  const minor = minorOf(version);
  const provider = textFlag(flags, 'cloud-provider') ?? '';
  const enabled = LOOPS.some((one) => isSwitchedOn(controllers, one));
  return enabled && (manager === 'ccm' || hasCloudLoops(provider, minor ?? 0));
}

function timings(flags: readonly Argument[]): LeaseTimings {
  const seconds = (name: string, byDefault: string): number =>
    durationSeconds(textFlag(flags, name) ?? byDefault) ?? 0;
  return {
    leaseDurationSeconds: seconds('leader-elect-lease-duration', '15s'),
    renewDeadlineSeconds: seconds('leader-elect-renew-deadline', '10s'),
    retryPeriodSeconds: seconds('leader-elect-retry-period', '2s'),
  };
}

function contendsForMigrationLock(manager: Manager, controllers: string, version: string): boolean {
  const minor = minorOrNewest(version);
  if (manager === 'ccm' || minor < ELECTION_NEEDS_TOKEN_CONTROLLER_SINCE) return true;
  return isEnabled(controllers, SERVICE_ACCOUNT_TOKEN, minor);
}

/**
 * Decided by flags alone, whatever the provider: the KCM needs two of them, the CCM reads one. Source:
 * k8s.io/cloud-provider app/core.go, commit f9aa959.
 */
function routes(manager: Manager, flags: readonly Argument[], controllers: string): boolean {
  return (
    switchFlag(flags, 'configure-cloud-routes', true) &&
    (manager === 'ccm' || switchFlag(flags, 'allocate-node-cidrs', false)) &&
    isSwitchedOn(controllers, 'route')
  );
}

function cidrAllocator(flags: readonly Argument[], controllers: string): string {
  const allocates =
    switchFlag(flags, 'allocate-node-cidrs', false) && isSwitchedOn(controllers, 'nodeipam');
  const allocator = textFlag(flags, 'cidr-allocator-type') ?? 'RangeAllocator';
  return allocates && allocator !== 'RangeAllocator' ? allocator : '';
}

/** `unread:<path>` or `missing:<path>` where there is no digest; empty without `--cloud-config`. */
function cloudConfigHash(path: string, { cloudConfigHash: hash }: SettingsContext): string {
  if (path === '') return '';
  return hash === undefined ? `unread:${path}` : (hash ?? `missing:${path}`);
}
