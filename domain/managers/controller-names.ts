import type { CloudController, Disposition, Manager } from '../vocabulary.js';

/** Component strings as Leader Migration files name the managers. */
export const COMPONENTS: Readonly<Record<Manager, string>> = {
  kcm: 'kube-controller-manager',
  ccm: 'cloud-controller-manager',
};

/** First minor with the long names. Source: kubernetes/kubernetes#115813; k8s.io/cloud-provider names/controller_names.go v0.28. */
export const RENAMED_IN_MINOR = 28;

/** First minor that understands component `*`. Source: k8s.io/controller-manager pkg/leadermigration/migrator.go v0.21, v0.22. */
export const WILDCARD_SINCE_MINOR = 22;

export interface Spellings {
  /** Registered up to 1.27; from 1.28 an alias that only `--controllers` knows. */
  readonly short: string;
  /** Registered from 1.28. */
  readonly long: string;
}

/**
 * Both spellings of the controllers that Leader Migration can move. The KCM and the library of the CCM
 * changed in the same minor; node IPAM is registered by the KCM and by few CCMs.
 * Source: k8s.io/cloud-provider app/controllermanager.go v0.27 and names/controller_names.go v0.28;
 * kubernetes/kubernetes cmd/kube-controller-manager/names/controller_names.go v1.28.
 */
export const SPELLINGS: Readonly<Record<CloudController, Spellings>> = {
  service: { short: 'service', long: 'service-lb-controller' },
  route: { short: 'route', long: 'node-route-controller' },
  'cloud-node-lifecycle': {
    short: 'cloud-node-lifecycle',
    long: 'cloud-node-lifecycle-controller',
  },
  nodeipam: { short: 'nodeipam', long: 'node-ipam-controller' },
};

/** Runs only in the CCM, under no migration lock. Source: as above. */
export const CLOUD_NODE: Spellings = { short: 'cloud-node', long: 'cloud-node-controller' };

/** Starts the KCM's migration election. Source: kubernetes/kubernetes cmd/kube-controller-manager/app/controllermanager.go. */
export const SERVICE_ACCOUNT_TOKEN: Spellings = {
  short: 'serviceaccount-token',
  long: 'serviceaccount-token-controller',
};

/** Name under which a binary of this minor registers a controller. */
function registeredName({ short, long }: Spellings, minor: number): string {
  return minor >= RENAMED_IN_MINOR ? long : short;
}

export function registeredCloudController(controller: CloudController, minor: number): string {
  return registeredName(SPELLINGS[controller], minor);
}

/**
 * Whether `--controllers` lets a controller run: the first entry that names it decides, then `*`.
 * From 1.28 the short names are aliases here, and only here.
 * Source: k8s.io/controller-manager app/helper.go IsControllerEnabled, options/generic.go v0.28.
 */
export function isEnabled(flag: string, spellings: Spellings, minor: number): boolean {
  const name = registeredName(spellings, minor);
  const entries = listed(flag).map((entry) => withoutAlias(entry, spellings, minor));
  const named = entries.find((entry) => entry === name || entry === `-${name}`);
  return named === undefined ? entries.includes('*') : named === name;
}

function listed(flag: string): readonly string[] {
  const entries = flag.split(',').map((entry) => entry.trim());
  return flag.trim() === '' ? ['*'] : entries;
}

function withoutAlias(entry: string, { short, long }: Spellings, minor: number): string {
  if (minor < RENAMED_IN_MINOR) return entry;
  if (entry === short) return long;
  return entry === `-${short}` ? `-${long}` : entry;
}

/** One line of `controllerLeaders`. */
export interface LeaderEntry {
  readonly name: string;
  readonly component: string;
}

/**
 * What a manager of this minor does with each controller under these entries, as the binary decides it: the registered name
 * is compared exactly, aliases and `*` do not match, the last entry of a name wins. Not listed: main lock. Listed for this
 * component or `*` (from 1.22): migration lock. Else: not started.
 * Source: k8s.io/controller-manager pkg/leadermigration/{migrator,filter}.go v0.21 to v0.36.
 */
export function dispositions(
  entries: readonly LeaderEntry[],
  manager: Manager,
  minor: number,
): Record<CloudController, Disposition> {
  const of = (controller: CloudController): Disposition =>
    dispositionOf(entries, registeredCloudController(controller, minor), manager, minor);
  return {
    service: of('service'),
    route: of('route'),
    'cloud-node-lifecycle': of('cloud-node-lifecycle'),
    nodeipam: of('nodeipam'),
  };
}

function dispositionOf(
  entries: readonly LeaderEntry[],
  name: string,
  manager: Manager,
  minor: number,
): Disposition {
  const component = entries.findLast((entry) => entry.name === name)?.component;
  if (component === undefined) return 'nonMigrated';
  if (component === COMPONENTS[manager]) return 'migrated';
  return component === '*' && minor >= WILDCARD_SINCE_MINOR ? 'migrated' : 'unowned';
}

/**
 * What a binary of this minor uses when no file is given; null where a file is mandatory (1.21).
 * From 1.28 on it names two controllers that no binary registers, so those are left unprotected.
 * Source: k8s.io/controller-manager pkg/leadermigration/config/default.go v0.22 to v0.36.
 */
export function builtInDefault(minor: number): readonly LeaderEntry[] | null {
  if (minor < WILDCARD_SINCE_MINOR) return null;
  const names =
    minor < RENAMED_IN_MINOR
      ? ['route', 'service', 'cloud-node-lifecycle']
      : ['route-controller', 'service-controller', 'cloud-node-lifecycle-controller'];
  return names.map((name) => ({ name, component: '*' }));
}

/** Lock name of the built-in default. Source: as `builtInDefault`. */
export const DEFAULT_LEADER_NAME = 'cloud-provider-extraction-migration';
