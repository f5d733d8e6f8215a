import { keyOf } from '../store/metadata.js';
import type { Cancel, ChangeEvent, ObjectStore, StoredObject } from '../model.js';

const LIMIT_PER_RESOURCE = 512;

/** The recent changes of one cluster, as the API server's watch cache keeps them; older ones are dropped. */
export class ChangeHistory {
  private readonly events = new Map<string, ChangeEvent[]>();
  /** Per resource, the highest version whose event was dropped. */
  private readonly floors = new Map<string, number>();
  private readonly firstVersion: number;
  private readonly store: ObjectStore;
  private readonly limit: number;
  private readonly detach: Cancel;

  constructor(store: ObjectStore, limit = LIMIT_PER_RESOURCE) {
    this.store = store;
    this.limit = limit;
    this.firstVersion = Number(store.resourceVersion());
    this.detach = store.onChange('*', (event) => this.remember(event));
  }

  /** Changes after a version, oldest first; null when some of them were dropped. */
  since(resource: string, version: number): readonly ChangeEvent[] | null {
    if (version < (this.floors.get(resource) ?? this.firstVersion)) return null;
    return (this.events.get(resource) ?? []).filter((event) => versionOf(event) > version);
  }

  /** All objects of a resource as of a version; null when that version was dropped. */
  asOf(resource: string, version: number): readonly StoredObject[] | null {
    const later = this.since(resource, version);
    const now = this.store.list(resource);
    if (later === null || !now.ok) return null;
    const objects = new Map(now.object.map((object) => [keyOf(object), object]));
    for (const event of [...later].reverse()) {
      if (event.previous === null) objects.delete(keyOf(event.object));
      else objects.set(keyOf(event.previous), event.previous);
    }
    return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** The version just before the last change that `concerns` matches; null when there is none in the history. */
  versionBefore(resource: string, concerns: (object: StoredObject) => boolean): number | null {
    const events = this.events.get(resource) ?? [];
    const last = events.findLast((event) => concerns(event.object));
    return last === undefined ? null : versionOf(last) - 1;
  }

  stop(): void {
    this.detach();
  }

  private remember(event: ChangeEvent): void {
    const known = this.events.get(event.resource) ?? [];
    known.push(event);
    // Trimmed in blocks, so that the cost per change stays constant.
    if (known.length > this.limit * 2) {
      const dropped = known.splice(0, known.length - this.limit);
      const last = dropped.at(-1);
      if (last !== undefined) this.floors.set(event.resource, versionOf(last));
    }
    this.events.set(event.resource, known);
  }
}

function versionOf(event: ChangeEvent): number {
  return Number(event.object.metadata.resourceVersion);
}
