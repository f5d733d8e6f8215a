import { inheritedList, isSwitchedOn } from '../controllers/controller-list.js';
import { gatesFor } from '../controllers/gates.js';
import { minorOf } from '../controllers/minors.js';
import { listFlag, parseArguments } from '../documents/arguments.js';
import { managerConfig } from '../documents/manager-arguments.js';
import type { ManagerManifest } from '../documents/manifest.js';
import type { ManagerConfig } from '../observation.js';
import type { MigrationPolicy } from '../policy.js';

/** Flags by name without dashes. */
interface Agreement {
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** Flags whose effect must equal the KCM's. A flag is written only where the effect would differ without it. */
export function agreement(
  manifest: ManagerManifest,
  kcm: ManagerConfig,
  policy: MigrationPolicy,
): Agreement {
  const ccm = ccmConfig(manifest, policy);
  const gates = gatesFor(listFlag(parseArguments(manifest.arguments), 'feature-gates'), {
    minor: minorOf(policy.ccm.version) ?? 0,
    cloudProvider: '',
    leaderMigration: policy.ccm.leaderMigration === 'implemented',
  });
  const ipam =
    policy.lock.controllers.includes('nodeipam') && isSwitchedOn(kcm.controllers, 'nodeipam');
  const differing = wantedTexts(kcm, ccm, policy).filter(([, wanted, has]) => wanted !== has(ccm));
  return {
    set: {
      ...Object.fromEntries(
        differing.filter(([, wanted]) => wanted !== '').map(([n, w]) => [n, w]),
      ),
      // Always written: its default in the CCM is true, whatever the KCM did.
      'configure-cloud-routes': String(kcm.routes),
      ...(ipam ? { 'allocate-node-cidrs': 'true' } : {}),
      ...(gates === '' ? {} : { 'feature-gates': gates }),
    },
    remove: [
      ...differing.filter(([, wanted]) => wanted === '').map(([name]) => name),
      ...(ipam ? [] : ['allocate-node-cidrs']),
      ...(gates === '' ? ['feature-gates'] : []),
    ],
  };
}

type WantedText = readonly [string, string, (ccm: ManagerConfig) => string];

/** Name, wanted text (empty: flag absent), and the effective value in the CCM without a change. */
function wantedTexts(
  kcm: ManagerConfig,
  ccm: ManagerConfig,
  policy: MigrationPolicy,
): readonly WantedText[] {
  const { leaseDurationSeconds, renewDeadlineSeconds } = kcm.timings;
  const retry = policy.ccm.timings.retryPeriodSeconds;
  return [
    ['cluster-name', kcm.clusterName, (c) => c.clusterName],
    ['cluster-cidr', kcm.clusterCidr, (c) => c.clusterCidr],
    [
      'controllers',
      inheritedList(ccm.controllers, kcm.controllers, policy.ccm.version),
      (c) => c.controllers,
    ],
    ['leader-elect', 'true', (c) => String(c.leaderElect)],
    ['leader-elect-resource-namespace', policy.lock.namespace, (c) => c.mainLock.namespace],
    [
      'leader-elect-lease-duration',
      duration(leaseDurationSeconds),
      (c) => duration(c.timings.leaseDurationSeconds),
    ],
    [
      'leader-elect-renew-deadline',
      duration(renewDeadlineSeconds),
      (c) => duration(c.timings.renewDeadlineSeconds),
    ],
    ['leader-elect-retry-period', duration(retry), (c) => duration(c.timings.retryPeriodSeconds)],
  ];
}

function ccmConfig(manifest: ManagerManifest, policy: MigrationPolicy): ManagerConfig {
  return managerConfig({
    manager: 'ccm',
    image: manifest.image,
    arguments: manifest.arguments,
    leaderMigrationFile: null,
    versionHint: policy.ccm.version,
  });
}

/** `15s`; below a whole second in milliseconds, as Go reads them. */
function duration(seconds: number): string {
  return Number.isInteger(seconds) ? `${seconds}s` : `${Math.round(seconds * 1000)}ms`;
}
