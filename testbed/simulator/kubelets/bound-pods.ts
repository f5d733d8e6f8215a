import { valueAt } from '../../base/json.js';
import type { Cancel, ChangeEvent, StoredObject } from '../model.js';
import type { NodeRuntime } from './node-runtime.js';
import { PodRun } from './pod-run.js';
import { podStatus } from './pod-status.js';
import { podTemplate } from './pod-template.js';

const MIRROR = 'kubernetes.io/config.mirror';

/** Runs the pods that the API server binds to this node, such as a DaemonSet's. */
export class BoundPods {
  private readonly runtime: NodeRuntime;
  private readonly hostIp: string;
  /** By UID. */
  private readonly running = new Map<
    string,
    { readonly pod: StoredObject; readonly run: PodRun }
  >();
  private readonly ending = new Set<string>();
  private readonly cancels: Cancel[];

  constructor(runtime: NodeRuntime, hostIp: string) {
    this.runtime = runtime;
    this.hostIp = hostIp;
    this.cancels = [
      runtime.onChange('pods', (event) => {
        if (this.isOurs(event.object)) this.see(event);
      }),
      runtime.onReconnect(() => {
        this.relist();
      }),
    ];
    this.relist();
  }

  get runs(): readonly PodRun[] {
    return [...this.running.values()].map(({ run }) => run);
  }

  forget(): void {
    for (const cancel of this.cancels) cancel();
    for (const { run } of this.running.values()) run.stop();
  }

  private isOurs(pod: StoredObject): boolean {
    const isMirror = pod.metadata.annotations?.[MIRROR] !== undefined;
    return !isMirror && valueAt(pod, 'spec', 'nodeName') === this.runtime.node;
  }

  private relist(): void {
    const answer = this.runtime.store.list('pods');
    const pods = answer.ok ? answer.object.filter((pod) => this.isOurs(pod)) : [];
    const uids = new Set(pods.map((pod) => pod.metadata.uid));
    for (const uid of this.running.keys()) if (!uids.has(uid)) this.end(uid);
    for (const object of pods) this.see({ type: 'MODIFIED', object });
  }

  private see({ type, object }: Pick<ChangeEvent, 'type' | 'object'>): void {
    const { uid, deletionTimestamp } = object.metadata;
    const isGoing = type === 'DELETED' || deletionTimestamp !== undefined;
    if (isGoing) this.end(uid, type === 'DELETED' ? undefined : object);
    else if (!this.running.has(uid) && !this.ending.has(uid)) this.begin(object);
  }

  private begin(pod: StoredObject): void {
    const { runtime } = this;
    const template = podTemplate(pod);
    if (template === null) return;
    const { uid, name } = pod.metadata;
    const run = new PodRun({
      ...{ template, podName: name, runtime },
      onStatus: () => {
        this.publish(pod, run);
      },
    });
    this.running.set(uid, { pod, run });
    runtime.timers.schedule(runtime.draws.between(...runtime.delays.boundStart), run.start);
  }

  private end(uid: string, pod?: StoredObject): void {
    const { timers, draws, delays, store } = this.runtime;
    const found = this.running.get(uid);
    const isExitStatus = this.ending.has(uid);
    if (isExitStatus || (found === undefined && pod === undefined)) return;
    this.ending.add(uid);
    timers.schedule(draws.between(...delays.stop), () => {
      found?.run.stop();
      this.running.delete(uid);
    });
    timers.schedule(draws.between(...delays.mirrorGone), () => {
      this.ending.delete(uid);
      const { name, namespace } = (pod ?? found?.pod)?.metadata ?? { name: '' };
      if (namespace === undefined || !this.runtime.connected()) return;
      store.delete({ resource: 'pods', namespace, name }, { uid, gracePeriodSeconds: 0 });
    });
  }

  private publish(pod: StoredObject, run: PodRun): void {
    const { namespace = '', name, uid } = pod.metadata;
    if (!this.runtime.connected()) return;
    const answer = this.runtime.store.get({ resource: 'pods', namespace, name });
    if (!answer.ok || answer.object.metadata.uid !== uid) return;
    const status = podStatus(run, this.hostIp);
    this.runtime.store.update('pods', { ...answer.object, status }, { subresource: 'status' });
  }
}
