import type { Cancel } from '../model.js';
import type { NodeRuntime } from './node-runtime.js';
import type { PodRun } from './pod-run.js';
import { readManifest, staticPodHash } from './pod-template.js';
import { StaticPodSlot, type Manifest } from './static-pod-slot.js';

const MANIFESTS = '/etc/kubernetes/manifests';

/** Runs what is in the manifests folder: every file whose name does not begin with a dot, whatever its extension. */
export class StaticPods {
  private readonly runtime: NodeRuntime;
  private readonly hostIp: string;
  /** By namespace and name: files that name the same pod share a slot, and the first file by name wins. */
  private readonly slots = new Map<string, StaticPodSlot>();
  private readonly cancel: Cancel;

  constructor(runtime: NodeRuntime, hostIp: string) {
    this.runtime = runtime;
    this.hostIp = hostIp;
    this.cancel = runtime.files.onChange((path) => {
      if (path.startsWith(`${MANIFESTS}/`)) this.read();
    });
    this.read();
  }

  get runs(): readonly PodRun[] {
    return [...this.slots.values()].flatMap(({ runs }) => runs);
  }

  forget(): void {
    this.cancel();
    for (const slot of this.slots.values()) slot.forget();
  }

  private read(): void {
    const wanted = this.manifests();
    for (const key of wanted.keys()) {
      if (!this.slots.has(key)) this.slots.set(key, new StaticPodSlot(this.runtime, this.hostIp));
    }
    for (const [key, slot] of this.slots) {
      slot.want(wanted.get(key) ?? null);
      if (slot.idle) this.slots.delete(key);
    }
  }

  private manifests(): ReadonlyMap<string, Manifest> {
    const { files, node } = this.runtime;
    const found = new Map<string, Manifest>();
    for (const name of files.list(MANIFESTS)) {
      const path = `${MANIFESTS}/${name}`;
      const template = name.startsWith('.') ? null : readManifest(files.read(path)?.content ?? '');
      if (template === null) continue;
      const key = `${template.namespace}/${template.name}`;
      if (!found.has(key)) found.set(key, { template, hash: staticPodHash(template, node, path) });
    }
    return found;
  }
}
