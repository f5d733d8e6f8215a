/**
 * The terms of the field, exactly as the project uses them everywhere. KCM = kube-controller-manager, CCM =
 * cloud-controller-manager.
 */

/** Which controller manager a process, manifest or Lease belongs to. */
export type Manager = 'kcm' | 'ccm';

export const MANAGERS = ['kcm', 'ccm'] as const satisfies readonly Manager[];

/** Canonical name of a cloud controller that Leader Migration can move (names of the `running_managed_controllers` metric). */
export type CloudController = 'service' | 'route' | 'cloud-node-lifecycle' | 'nodeipam';

export const CLOUD_CONTROLLERS: readonly CloudController[] = [
  'service',
  'route',
  'cloud-node-lifecycle',
  'nodeipam',
];

/**
 * What a manager does with one controller, upstream's three-way FilterResult:
 * not started at all, started under the migration lock, started under the main lock.
 * Source: kubernetes/controller-manager pkg/leadermigration/filter.go
 */
export type Disposition = 'unowned' | 'migrated' | 'nonMigrated';

/** Who really runs a controller: a summary of the processes that run it. */
export type Owner = 'kcm' | 'ccm' | 'none' | 'both' | 'unknown';

/** The side of a node according to its manifests and processes; never derived from its version. */
export type Side = 'source' | 'target' | 'mixed' | 'unknown';

/** The manager that must own the cloud controllers in the end: `ccm` is forward, `kcm` is rollback. */
export type Target = 'ccm' | 'kcm';

/** Whether the run may take its next step. */
export type Hold = 'none' | 'pause' | 'stop';

/** A fact that can also be unreadable. Unknown is a value, never a default. */
export type Tristate = 'yes' | 'no' | 'unknown';

/** The phase of a step, in the order of a forward run. */
export const STEP_PHASES = [
  'preflight',
  'repair',
  'grantLeaseAccess',
  'prepareCcm',
  'enableLeaderMigration',
  'replaceNodes',
  'verify',
  'rollWorkers',
  'disableLeaderMigration',
  'returnToKcm',
  'removeCcm',
] as const;

export type Phase = (typeof STEP_PHASES)[number];

/** What is approved before the first step that takes cloud loops away from the source side, when policy demands it. */
export const HANDOVER_APPROVAL = 'handover';

/** Namespace and name of a Lease object. */
export interface LeaseRef {
  readonly namespace: string;
  readonly name: string;
}

export function sameLease(a: LeaseRef, b: LeaseRef): boolean {
  return a.namespace === b.namespace && a.name === b.name;
}
