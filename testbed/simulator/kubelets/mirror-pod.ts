import type { Cancel, DraftObject, ResourceRef, StoredObject } from '../model.js';
import type { NodeRuntime } from './node-runtime.js';
import type { PodRun } from './pod-run.js';
import { podStatus } from './pod-status.js';
import type { PodTemplate } from './pod-template.js';

export interface MirrorPodOptions {
  readonly runtime: NodeRuntime;
  readonly template: PodTemplate;
  /** The static pod's UID; the API server gives the mirror pod another one. */
  readonly hash: string;
  readonly hostIp: string;
  readonly run: PodRun;
}

/** The API object that mirrors a static pod: no proof of what really runs. */
export class MirrorPod {
  private readonly options: MirrorPodOptions;
  private readonly ref: ResourceRef & { readonly namespace: string };
  private readonly cancels: Cancel[];
  private wanted = true;

  constructor(options: MirrorPodOptions) {
    const { runtime, template } = options;
    this.options = options;
    this.ref = {
      resource: 'pods',
      namespace: template.namespace,
      name: `${template.name}-${runtime.node}`,
    };
    this.cancels = [
      runtime.onChange('pods', ({ object, type }) => {
        const { name, namespace, deletionTimestamp } = object.metadata;
        if (name !== this.ref.name || namespace !== this.ref.namespace || !this.wanted) return;
        if (type === 'DELETED' || deletionTimestamp !== undefined) this.putBack();
      }),
      runtime.onReconnect(this.publish),
    ];
  }

  /** Writes the pod's current state, and creates the object when it is missing. */
  readonly publish = (): void => {
    const { runtime, run, hostIp } = this.options;
    if (!this.wanted || !runtime.connected()) return;
    const answer = runtime.store.get(this.ref);
    const status = podStatus(run, hostIp);
    const existing = answer.ok && this.isSame(answer.object) ? answer.object : undefined;
    if (existing !== undefined) {
      runtime.store.update('pods', { ...existing, status }, { subresource: 'status' });
      return;
    }
    if (answer.ok) runtime.store.delete(this.ref, { gracePeriodSeconds: 0 });
    const created = runtime.store.create('pods', this.draft());
    if (created.ok) {
      runtime.store.update('pods', { ...created.object, status }, { subresource: 'status' });
    }
  };

  /** The pod has ended: deletes its object, now or once the API server is reachable again. */
  remove(): void {
    this.wanted = false;
    for (const cancel of this.cancels) cancel();
    const { runtime } = this.options;
    const away = (): void => {
      const answer = runtime.store.get(this.ref);
      if (answer.ok && this.isSame(answer.object)) {
        runtime.store.delete(this.ref, { gracePeriodSeconds: 0 });
      }
    };
    if (runtime.connected()) away();
    else runtime.onReconnect(away);
  }

  /** The machine went down: its objects stay until something deletes them. */
  forget(): void {
    this.wanted = false;
    for (const cancel of this.cancels) cancel();
  }

  private putBack(): void {
    const { runtime } = this.options;
    runtime.timers.schedule(runtime.draws.between(...runtime.delays.mirrorBack), () => {
      const answer = runtime.store.get(this.ref);
      if (answer.ok && answer.object.metadata.deletionTimestamp === undefined) return;
      if (answer.ok) {
        this.wanted = false;
        runtime.store.delete(this.ref, { gracePeriodSeconds: 0 });
        this.wanted = true;
      }
      this.publish();
    });
  }

  private isSame(pod: StoredObject): boolean {
    return pod.metadata.annotations?.['kubernetes.io/config.mirror'] === this.options.hash;
  }

  private draft(): DraftObject {
    const { template, hash, runtime } = this.options;
    const owner = runtime.store.get({ resource: 'nodes', name: runtime.node });
    const ownerReferences = owner.ok
      ? [
          {
            apiVersion: 'v1',
            kind: 'Node',
            name: runtime.node,
            uid: owner.object.metadata.uid,
            controller: true,
          },
        ]
      : [];
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: this.ref.name,
        namespace: this.ref.namespace,
        labels: template.labels,
        annotations: {
          ...template.annotations,
          'kubernetes.io/config.hash': hash,
          'kubernetes.io/config.mirror': hash,
          'kubernetes.io/config.seen': new Date(runtime.timers.nowMs()).toISOString(),
          'kubernetes.io/config.source': 'file',
        },
        ownerReferences,
      },
      spec: { ...template.spec, nodeName: runtime.node },
    };
  }
}
