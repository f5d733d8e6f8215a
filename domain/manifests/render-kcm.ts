import { withNodeIpam, withoutNodeIpam } from '../managers/controller-list.js';
import { gatesFor } from '../managers/feature-gates.js';
import { hasCloudLoops } from '../managers/in-tree-providers.js';
import { kcmSettings } from '../managers/kcm-settings.js';
import { minorOf } from '../managers/minors.js';
import { listFlag, parseArguments, textFlag } from '../managers/arguments.js';
import type { ManifestEdits } from './edit-manifest.js';
import { editManagerManifest } from './edit-manifest.js';
import { managerConfig } from '../managers/manager-arguments.js';
import type { ManagerManifest } from './manifest.js';
import { compileLeaderMigration } from '../managers/compile-leader-migration.js';
import type { ManagerConfig } from '../observation/observation.js';
import type { MigrationPolicy, NodeTemplate } from '../policy.js';
import { migrationEdits, migrationParts, type MigrationEdits } from './leader-migration-edits.js';
import type { Impossible, Reading, ManagerRendering, RenderSource } from './rendered.js';
import { impossible, reading, unusable } from './rendered.js';

const SUBJECT = 'kube-controller-manager manifest';

/** The in-tree KCM: this node's own manifest, or the baseline where this one is external or gone. */
export function renderInTreeKcm(
  source: RenderSource,
  leaderMigration: 'on' | 'off',
): ManagerRendering {
  const { policy } = source;
  const template = policy.source;
  const minor = minorOf(template.version);
  if (minor === null || !hasCloudLoops(template.cloudProvider, minor)) {
    const seen = `--cloud-provider=${template.cloudProvider} at ${template.version}`;
    return impossible('CCM2008', 'policy.source', seen);
  }
  const base = inTreeBase(source);
  if (base.kind === 'impossible') return base;
  const wrongLock = leaderMigration === 'on' ? foreignLock(base.manifest, policy) : null;
  if (wrongLock !== null) return wrongLock;
  const request = { manager: 'kcm', version: template.version, lock: policy.lock } as const;
  const compiled = leaderMigration === 'on' ? compileLeaderMigration(request) : null;
  const migration = migrationEdits(base.manifest, compiled);
  // Off in an in-tree manifest is the operator's setting; off in an external one may be ours.
  const takesBack = migratesIpam(policy) && !isInTree(base.manifest);
  const controllers = takesBack ? withNodeIpam(controllersOf(base.manifest)) : null;
  const result = editManagerManifest(
    base.text,
    kcmEdits(base.manifest, template, migration, controllers),
  );
  return result.kind === 'invalid'
    ? unusable(SUBJECT, result.problems)
    : { kind: 'rendered', manifest: result.text, ...migrationParts(result.manifest, compiled) };
}

/** The external KCM: no cloud controllers, no Leader Migration (it would take the lock and run nothing, P7). */
export function renderExternalKcm(source: RenderSource): ManagerRendering {
  const { policy } = source;
  const text = source.current ?? source.baseline;
  if (text === null) return noManifest();
  const base = reading(text, SUBJECT);
  if (base.kind === 'impossible') return base;
  const off = migrationEdits(base.manifest, null);
  const migration: MigrationEdits = {
    ...off,
    removeArguments: [...off.removeArguments, 'cloud-config'],
    removeVolumes: [...off.removeVolumes, ...cloudConfigVolumes(base.manifest)],
  };
  const template = { ...policy.target, cloudProvider: 'external' };
  const controllers = migratesIpam(policy) ? withoutNodeIpam(controllersOf(base.manifest)) : null;
  const result = editManagerManifest(
    base.text,
    kcmEdits(base.manifest, template, migration, controllers),
  );
  if (result.kind === 'invalid') return unusable(SUBJECT, result.problems);
  const { cidrAllocator } = kcmConfig(result.manifest, template.version);
  if (cidrAllocator !== undefined) {
    return impossible('CCM2013', SUBJECT, `--cidr-allocator-type=${cidrAllocator}`);
  }
  return { kind: 'rendered', manifest: result.text, ...migrationParts(result.manifest, null) };
}

/** The settings of a KCM manifest, regardless of its Leader Migration file. */
export function kcmConfig(manifest: ManagerManifest, version: string): ManagerConfig {
  return managerConfig('kcm', manifest, { versionHint: version });
}

function kcmEdits(
  manifest: ManagerManifest,
  { version, kcmImage, cloudProvider }: NodeTemplate,
  migration: MigrationEdits,
  controllers: string | null,
): ManifestEdits {
  const minor = minorOf(version) ?? 0;
  const leaderMigration = migration.mountFiles.length > 0;
  const kept = kcmSettings(manifest.arguments, minor);
  const gates = gatesFor(kept.featureGates, { minor, cloudProvider, leaderMigration });
  return {
    ...migration,
    image: kcmImage,
    setArguments: {
      ...kept.set,
      'cloud-provider': cloudProvider,
      ...migration.setArguments,
      ...(gates === '' ? {} : { 'feature-gates': gates }),
      ...(controllers === null || controllers === controllersOf(manifest) ? {} : { controllers }),
      ...(leaderMigration && !kcmConfig(manifest, version).leaderElect
        ? { 'leader-elect': 'true' }
        : {}),
    },
    removeArguments: [
      ...migration.removeArguments,
      ...kept.remove,
      ...(gates === '' ? ['feature-gates'] : []),
    ],
    labels: { component: 'kube-controller-manager' },
  };
}

/** This node's own manifest if it is in-tree, else the baseline, else whatever exists as a template. */
function inTreeBase({ current, baseline, materials }: RenderSource): Reading | Impossible {
  const texts = [current, baseline].filter((text) => text !== null);
  const read = texts.map((text) => reading(text, SUBJECT));
  const unreadable = read.find((one) => one.kind === 'impossible');
  if (unreadable !== undefined) return unreadable;
  const all = read.filter((one) => one.kind === 'read');
  const [first] = all;
  if (first === undefined) return noManifest();
  const inTree = all.find(({ manifest }) => isInTree(manifest));
  if (inTree !== undefined) return inTree;
  return usesCloudConfig(materials.ccmManifest)
    ? impossible('CCM2002', SUBJECT, 'no manifest shows the --cloud-config of the in-tree KCM')
    : first;
}

function isInTree(manifest: ManagerManifest): boolean {
  const provider = textFlag(parseArguments(manifest.arguments), 'cloud-provider') ?? '';
  return provider !== '' && provider !== 'external';
}

function usesCloudConfig(ccmManifest: string): boolean {
  const ccm = reading(ccmManifest, '');
  return (
    ccm.kind === 'impossible' ||
    textFlag(parseArguments(ccm.manifest.arguments), 'cloud-config') !== null
  );
}

function noManifest(): Impossible {
  return impossible('CCM2002', SUBJECT, 'neither a manifest on the node nor a recorded baseline');
}

/** The migration lock is in the namespace of the main lock, which must not change: two namespaces mean two leaders. */
function foreignLock(manifest: ManagerManifest, policy: MigrationPolicy): Impossible | null {
  const { namespace } = kcmConfig(manifest, policy.source.version).mainLock;
  const seen = `--leader-elect-resource-namespace is ${namespace}, the policy's lock is in ${policy.lock.namespace}`;
  return namespace === policy.lock.namespace ? null : impossible('CCM1002', SUBJECT, seen);
}

function cloudConfigVolumes({ arguments: words, mounts }: ManagerManifest): readonly string[] {
  const path = textFlag(parseArguments(words), 'cloud-config');
  return mounts.filter((mount) => mount.path === path).map(({ volume }) => volume);
}

function migratesIpam(policy: MigrationPolicy): boolean {
  return policy.lock.controllers.includes('nodeipam');
}

function controllersOf(manifest: ManagerManifest): string {
  return listFlag(parseArguments(manifest.arguments), 'controllers') || '*';
}
