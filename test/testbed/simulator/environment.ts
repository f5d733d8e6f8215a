import type { Manager } from '../../../domain/vocabulary.js';
import { createVirtualClock } from '../../../testbed/simulator/clock/virtual-clock.js';
import type {
  ClusterSpec,
  ManagerPlan,
  NodePlan,
} from '../../../testbed/simulator/cluster/cluster-spec.js';
import { createCluster } from '../../../testbed/simulator/cluster/create-cluster.js';
import { managerManifest } from '../../../testbed/simulator/cluster/manifest-texts.js';
import {
  MIGRATION_FILES,
  migrationFile,
} from '../../../testbed/simulator/cluster/migration-files.js';
import { valueAt, textAt } from '../../../testbed/base/json.js';
import type {
  OwnershipInterval,
  SimulatedCluster,
  StoredObject,
  VirtualClock,
} from '../../../testbed/simulator/model.js';
import { unexplainedCalls } from '../../../testbed/base/truth/journal-check.js';

export const MIGRATION = 'cloud-provider-extraction-migration';
export const MAIN: Readonly<Record<Manager, string>> = {
  kcm: 'kube-controller-manager',
  ccm: 'cloud-controller-manager',
};
export type Owned = 'service' | 'route' | 'cloud-node-lifecycle';
export const OWNED: readonly Owned[] = ['service', 'route', 'cloud-node-lifecycle'];

export function kcm(overrides: Partial<ManagerPlan> = {}): ManagerPlan {
  return { version: '1.30.14', cloudProvider: 'labcloud', migration: 'off', ...overrides };
}

export function external(overrides: Partial<ManagerPlan> = {}): ManagerPlan {
  return kcm({ cloudProvider: 'external', ...overrides });
}

export function ccm(overrides: Partial<ManagerPlan> = {}): ManagerPlan {
  return kcm({ migration: 'canonical', ...overrides });
}

export function node(
  kcmPlan: ManagerPlan | null,
  ccmPlan: ManagerPlan | null = null,
  overrides: Partial<NodePlan> = {},
): NodePlan {
  return { kcm: kcmPlan, ccm: ccmPlan, kubelet: 'inTree', kubeletVersion: '1.30.14', ...overrides };
}

/** A simulated cluster in virtual time, with the few actions and observations that scenarios need. */
export class Environment {
  readonly clock: VirtualClock = createVirtualClock();
  readonly cluster: SimulatedCluster;

  constructor(spec: Partial<ClusterSpec> = {}) {
    this.cluster = createCluster({ id: 'c1', ...spec, clock: this.clock });
  }

  wait(seconds: number): this {
    this.clock.advanceBy(seconds * 1000);
    return this;
  }

  /** Seconds until the condition holds; fails loudly when it never does. */
  until(what: string, holds: () => boolean, limitSeconds = 120): number {
    const fromMs = this.clock.nowMs();
    if (!this.clock.advanceUntil(holds, limitSeconds * 1000))
      throw new Error(`never came: ${what}`);
    return (this.clock.nowMs() - fromMs) / 1000;
  }

  holder(lease: string): string {
    return textAt(this.lease(lease), 'spec', 'holderIdentity');
  }

  lease(name: string): StoredObject | undefined {
    const answer = this.cluster.store.get({ resource: 'leases', namespace: 'kube-system', name });
    return answer.ok ? answer.object : undefined;
  }

  /** Node whose process holds a Lease (hostnames are Node names here). */
  leader(lease: string): string {
    return this.holder(lease).split('_')[0] ?? '';
  }

  owners(controller: Owned = 'service'): readonly string[] {
    return this.intervals(controller).at(-1)?.owners ?? [];
  }

  /** Managers that run a controller now, each once. */
  ownedBy(controller: Owned = 'service'): string {
    return [...new Set(this.owners(controller).map((owner) => owner.slice(0, 3)))].join('+');
  }

  intervals(controller: Owned = 'service'): readonly OwnershipInterval[] {
    return this.cluster.truth().controllers[controller].intervals;
  }

  overlap(controller: Owned = 'service'): number {
    return this.cluster.truth().controllers[controller].overlapSeconds;
  }

  orphan(controller: Owned = 'service'): number {
    return this.cluster.truth().controllers[controller].orphanSeconds;
  }

  /** Empty holder with the record's resourceVersion, as client-go releases. */
  release(lease: string): void {
    const current = this.lease(lease);
    if (current === undefined) throw new Error(`no Lease ${lease}`);
    const now = new Date(this.clock.nowMs()).toISOString().replace('Z', '000Z');
    const spec = {
      ...(current['spec'] as object),
      ...{ holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now },
    };
    this.cluster.store.update('leases', { ...current, spec });
  }

  removeStale(name: string, manager: Manager): void {
    this.cluster.node(name)?.files.remove(manifestPath(manager));
  }

  put(name: string, manager: Manager, plan: ManagerPlan): void {
    const files = this.cluster.node(name)?.files;
    const migration = migrationFile(plan);
    if (migration !== null) files?.write(MIGRATION_FILES[manager], migration);
    files?.write(manifestPath(manager), managerManifest(manager, plan));
  }

  pid(name: string, manager: Manager): number | undefined {
    return this.cluster
      .node(name)
      ?.host()
      .processes.find((process) => process.manager === manager)?.pid;
  }

  metrics(name: string, manager: Manager): string {
    return this.cluster.node(name)?.metrics(manager) ?? '';
  }

  /** Names of `running_managed_controllers` in one manager. */
  running(name: string, manager: Manager): readonly string[] {
    const found = this.metrics(name, manager).matchAll(
      /^running_managed_controllers\{.*name="([^"]+)"/gm,
    );
    return [...found].map(([, loop]) => loop ?? '').sort();
  }

  mirror(name: string, manager: Manager): StoredObject | undefined {
    const ref = { resource: 'pods', namespace: 'kube-system', name: `${MAIN[manager]}-${name}` };
    const answer = this.cluster.store.get(ref);
    return answer.ok ? answer.object : undefined;
  }

  addService(name: string): void {
    this.cluster.store.create('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default' },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });
  }

  service(name: string): StoredObject | undefined {
    const answer = this.cluster.store.get({ resource: 'services', namespace: 'default', name });
    return answer.ok ? answer.object : undefined;
  }

  ingress(name: string): string {
    const list = valueAt(this.service(name), 'status', 'loadBalancer', 'ingress');
    return textAt(Array.isArray(list) ? list[0] : undefined, 'ip');
  }

  /** Managers that called an operation since a moment, with the times. */
  calls(op: string, sinceMs = 0): readonly { readonly manager: Manager; readonly atMs: number }[] {
    return this.cluster
      .cloudJournal()
      .filter((call) => call.op === op && call.atMs >= sinceMs)
      .map(({ manager, atMs }) => ({ manager, atMs }));
  }

  unexplained(): number {
    return unexplainedCalls(this.cluster.truth(), this.cluster.cloudJournal()).length;
  }
}

/** Leaves a CCM's ClusterRole without the migration Lease, and the grant to KCMs alone. */
export function forbidMigrationLease({ store }: SimulatedCluster): void {
  const answer = store.get({ resource: 'clusterroles', name: 'system:cloud-controller-manager' });
  if (!answer.ok) throw new Error(answer.message);
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  const rules = [
    { ...leases, verbs: ['create'] },
    { ...leases, verbs: ['get', 'update'], resourceNames: [MAIN.ccm] },
    { apiGroups: [''], resources: ['*'], verbs: ['*'] },
  ];
  store.update('clusterroles', { ...answer.object, rules });
  const name = 'leader-migration';
  const bound = store.delete({ resource: 'rolebindings', namespace: 'kube-system', name });
  if (bound.ok) store.create('rolebindings', grantToKcm());
}

function grantToKcm(): Parameters<SimulatedCluster['store']['create']>[1] {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'kcm-only', namespace: 'kube-system' },
    roleRef: { apiGroup, kind: 'Role', name: 'leader-migration' },
    subjects: [{ apiGroup, kind: 'User', name: 'system:kube-controller-manager' }],
  };
}

export function manifestPath(manager: Manager): string {
  return `/etc/kubernetes/manifests/${MAIN[manager]}.yaml`;
}
