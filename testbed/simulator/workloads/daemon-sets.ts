import { createHash } from 'node:crypto';
import type { ClusterEnvironment } from '../cluster/cluster-environment.js';
import { listAt, objectAt, textAt, textMapAt, valueAt } from '../../base/json.js';
import { readyStatus, taintsOf } from '../loops/node-facts.js';
import type { StoredObject } from '../model.js';

const RECONCILE_MS = [80, 300] as const;
const REVISION = 'controller-revision-hash';
/** Taints that every DaemonSet pod tolerates. Source: kubernetes/kubernetes pkg/controller/daemon/util. */
const ALWAYS_TOLERATED =
  /^node\.kubernetes\.io\/(not-ready|unreachable|disk-pressure|memory-pressure|pid-pressure|unschedulable)$/;

/** The DaemonSet controller. It is part of the KCM, so it acts only while a KCM leads. */
export class DaemonSets {
  private readonly environment: ClusterEnvironment;
  private planned = false;

  constructor(environment: ClusterEnvironment) {
    this.environment = environment;
  }

  watch(): void {
    const { environment } = this;
    const plan = (): void => {
      this.plan();
    };
    environment.store.onChange('daemonsets', () => {
      this.plan(true);
    });
    environment.store.onChange('nodes', plan);
    environment.store.onChange('pods', ({ object }) => {
      if (ownerUid(object) !== '') plan();
    });
  }

  private plan(always = false): void {
    if (this.planned || (!always && this.sets().length === 0)) return;
    this.planned = true;
    this.environment.clock.schedule(
      this.environment.draws.between(...RECONCILE_MS),
      this.reconcile,
    );
  }

  private readonly reconcile = (): void => {
    this.planned = false;
    if (this.environment.mainLoops.count === 0) {
      this.planned = true;
      this.environment.clock.schedule(1000, this.reconcile);
      return;
    }
    for (const set of this.sets()) this.align(set);
    this.collectOrphans();
  };

  private align(set: StoredObject): void {
    const nodes = this.list('nodes').filter((node) => mayRun(set, node));
    const names = new Set(nodes.map((node) => node.metadata.name));
    const pods = this.podsOf(set);
    const placed = new Map(pods.map((pod) => [nodeOf(pod), pod]));
    for (const node of names) if (!placed.has(node)) this.create(set, node);
    for (const pod of pods) if (!names.has(nodeOf(pod))) this.remove(pod);
    this.roll(set, pods);
    this.report(set, names.size);
  }

  /** RollingUpdate replaces one old pod at a time and waits until the next is ready; OnDelete leaves old pods. */
  private roll(set: StoredObject, pods: readonly StoredObject[]): void {
    const strategy = textAt(set, 'spec', 'updateStrategy', 'type') || 'RollingUpdate';
    const allUp = pods.every((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
    const old = pods.find((pod) => pod.metadata.labels?.[REVISION] !== revisionOf(set));
    if (strategy === 'RollingUpdate' && allUp && old !== undefined) this.remove(old);
  }

  private create(set: StoredObject, node: string): void {
    const { namespace = 'default', name, uid } = set.metadata;
    const template = objectAt(set, 'spec', 'template');
    this.environment.store.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-${this.environment.draws.hex(5)}`,
        namespace,
        labels: {
          ...textMapAt(template, 'metadata', 'labels'),
          [REVISION]: revisionOf(set),
        },
        annotations: textMapAt(template, 'metadata', 'annotations'),
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid, controller: true },
        ],
      },
      spec: { ...objectAt(template, 'spec'), nodeName: node },
      status: { phase: 'Pending' },
    });
  }

  private remove(pod: StoredObject): void {
    const { namespace = '', name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp === undefined) {
      this.environment.store.delete({ resource: 'pods', namespace, name });
    }
  }

  private report(set: StoredObject, desired: number): void {
    const { namespace = '', name } = set.metadata;
    const answer = this.environment.store.get({ resource: 'daemonsets', namespace, name });
    if (!answer.ok) return;
    const pods = this.podsOf(set);
    const status = {
      desiredNumberScheduled: desired,
      currentNumberScheduled: pods.length,
      numberMisscheduled: 0,
      numberReady: pods.filter(isReady).length,
      updatedNumberScheduled: pods.filter(
        (pod) => pod.metadata.labels?.[REVISION] === revisionOf(set),
      ).length,
      observedGeneration: answer.object.metadata.generation ?? 1,
    };
    this.environment.store.update(
      'daemonsets',
      { ...answer.object, status },
      { subresource: 'status' },
    );
  }

  /** The garbage collector, also part of the KCM: removes pods of a deleted DaemonSet. */
  private collectOrphans(): void {
    const uids = new Set(this.sets().map((set) => set.metadata.uid));
    for (const pod of this.list('pods')) {
      const uid = ownerUid(pod);
      if (uid !== '' && !uids.has(uid)) this.remove(pod);
    }
  }

  private podsOf(set: StoredObject): readonly StoredObject[] {
    return this.list('pods').filter((pod) => ownerUid(pod) === set.metadata.uid);
  }

  private sets(): readonly StoredObject[] {
    return this.list('daemonsets');
  }

  private list(resource: string): readonly StoredObject[] {
    const answer = this.environment.store.list(resource);
    return answer.ok ? answer.object : [];
  }
}

function ownerUid(pod: StoredObject): string {
  const owner = pod.metadata.ownerReferences?.find((each) => each['kind'] === 'DaemonSet');
  return textAt(owner, 'uid');
}

function nodeOf(pod: StoredObject): string {
  return textAt(pod, 'spec', 'nodeName');
}

function isReady(pod: StoredObject): boolean {
  return readyStatus(pod) === 'True';
}

function revisionOf(set: StoredObject): string {
  return createHash('sha256')
    .update(JSON.stringify(valueAt(set, 'spec', 'template')))
    .digest('hex')
    .slice(0, 10);
}

/** Checks the node selector, and the tolerations for the node's taints. */
function mayRun(set: StoredObject, node: StoredObject): boolean {
  const spec = valueAt(set, 'spec', 'template', 'spec');
  const selector = Object.entries(textMapAt(spec, 'nodeSelector'));
  const isSelected = selector.every(([key, value]) => node.metadata.labels?.[key] === value);
  const tolerations = listAt(spec, 'tolerations').map((one) => objectAt(one));
  return isSelected && taintsOf(node).every((taint) => isTolerated(taint, tolerations));
}

function isTolerated(
  taint: Readonly<Record<string, unknown>>,
  tolerations: readonly Readonly<Record<string, unknown>>[],
): boolean {
  if (taint['effect'] === 'PreferNoSchedule' || ALWAYS_TOLERATED.test(textAt(taint, 'key')))
    return true;
  return tolerations.some(({ key, effect, operator, value }) => {
    const keyFits = (key ?? '') === '' ? operator === 'Exists' : key === taint['key'];
    const effectFits = (effect ?? '') === '' || effect === taint['effect'];
    return (
      keyFits && effectFits && (operator === 'Exists' || (value ?? '') === (taint['value'] ?? ''))
    );
  });
}
