import { listFlag, parseArguments } from '../managers/arguments.js';
import { compileLeaderMigration } from '../managers/compile-leader-migration.js';
import {
  contradictions,
  disagreement,
  inheritedList,
  isSwitchedOn,
} from '../managers/controller-list.js';
import { COMPONENTS } from '../managers/controller-names.js';
import { gatesFor } from '../managers/feature-gates.js';
import { managerConfig } from '../managers/manager-arguments.js';
import { minorOf } from '../managers/minors.js';
import type { ManagerConfig } from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { FieldEdit } from './edit-manifest.js';
import { editManagerManifest } from './edit-manifest.js';
import { migrationEdits, migrationParts } from './leader-migration-edits.js';
import type { ManagerManifest } from './manifest.js';
import {
  CCM_NAME,
  MANAGED_BY,
  MANAGED_BY_LABEL,
  RUN_CCM_LABEL,
  SYSTEM_NAMESPACE,
} from './paths.js';
import { kcmConfig } from './render-kcm.js';
import type { Impossible, ManagerRendering, Reading, RenderSource } from './rendered.js';
import { impossible, reading, unusable } from './rendered.js';

const SUBJECT = 'cloud-controller-manager manifest';

/**
 * The CCM, from the operator's manifest: a static pod, or a DaemonSet that runs where our label is and is
 * replaced only when we delete its pod. What must agree with the KCM is taken from the baseline's effective
 * settings, whatever the manifest says.
 */
export function renderCcm(source: RenderSource, leaderMigration: 'on' | 'off'): ManagerRendering {
  const { policy } = source;
  if (leaderMigration === 'on' && policy.ccm.leaderMigration === 'absent') {
    return impossible('CCM2009', policy.ccm.image, 'Leader Migration is wanted on');
  }
  const base = ccmBase(source);
  if (base.kind === 'impossible') return base;
  const kcm = referenceKcm(source);
  if (kcm.kind === 'impossible') return kcm;
  const foreign = contradiction(base.manifest, kcm.config, policy);
  if (foreign !== null) return foreign;
  const request = { manager: 'ccm', version: policy.ccm.version, lock: policy.lock } as const;
  const compiled = leaderMigration === 'on' ? compileLeaderMigration(request) : null;
  const migration = migrationEdits(base.manifest, compiled);
  const agreed = agreement(base.manifest, kcm.config, policy);
  const edits = {
    ...migration,
    image: policy.ccm.image,
    setArguments: { ...agreed.set, ...migration.setArguments },
    removeArguments: [...migration.removeArguments, ...agreed.remove],
    labels: { component: COMPONENTS.ccm },
    fields: identityFields(base.manifest),
  };
  const result = editManagerManifest(base.text, edits);
  return result.kind === 'invalid'
    ? unusable(SUBJECT, result.problems)
    : { kind: 'rendered', manifest: result.text, ...migrationParts(result.manifest, compiled) };
}

function ccmBase({ policy, materials }: RenderSource): Reading | Impossible {
  const base = reading(materials.ccmManifest, SUBJECT);
  if (base.kind === 'impossible') return base;
  const wanted = policy.ccm.deployAs === 'staticPod' ? 'Pod' : 'DaemonSet';
  return base.manifest.kind === wanted
    ? base
    : impossible('CCM5014', SUBJECT, `is a ${base.manifest.kind}, the policy needs a ${wanted}`);
}

type Reference = { readonly kind: 'read'; readonly config: ManagerConfig } | Impossible;

function referenceKcm({ baseline, policy }: RenderSource): Reference {
  const subject = 'recorded kube-controller-manager manifest';
  if (baseline === null) {
    return impossible('CCM2002', subject, 'none, so the settings that must agree are unknown');
  }
  const base = reading(baseline, subject);
  if (base.kind === 'impossible') return base;
  return { kind: 'read', config: kcmConfig(base.manifest, policy.source.version) };
}

/** An operator's own list that contradicts the KCM is reported, not resolved by guessing. */
function contradiction(
  manifest: ManagerManifest,
  kcm: ManagerConfig,
  { lock }: MigrationPolicy,
): Impossible | null {
  const own = listFlag(parseArguments(manifest.arguments), 'controllers');
  const wrong = contradictions(own, kcm, lock.controllers);
  return wrong.length === 0
    ? null
    : impossible('CCM1308', SUBJECT, disagreement(own, kcm.controllers, wrong));
}

/** Sets the names by which we find the CCM, and makes sure that only we start or stop the pods of a DaemonSet. */
function identityFields({ kind }: ManagerManifest): readonly FieldEdit[] {
  const common: readonly FieldEdit[] = [
    { path: ['metadata', 'name'], value: CCM_NAME },
    { path: ['metadata', 'namespace'], value: SYSTEM_NAMESPACE },
    { path: ['metadata', 'labels', MANAGED_BY_LABEL], value: MANAGED_BY },
  ];
  if (kind === 'Pod') return common;
  return [
    ...common,
    { path: ['spec', 'template', 'spec', 'nodeSelector', RUN_CCM_LABEL], value: 'true' },
    { path: ['spec', 'updateStrategy', 'rollingUpdate'], value: null },
    { path: ['spec', 'updateStrategy', 'type'], value: 'OnDelete' },
  ];
}

/** Flags by name without dashes. */
interface Agreement {
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** Flags whose effect must equal the KCM's. A flag is written only where the effect would differ without it. */
function agreement(
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
  return managerConfig('ccm', manifest, { versionHint: policy.ccm.version });
}

/** `15s`; below a whole second in milliseconds, as Go reads them. */
function duration(seconds: number): string {
  return Number.isInteger(seconds) ? `${seconds}s` : `${Math.round(seconds * 1000)}ms`;
}
