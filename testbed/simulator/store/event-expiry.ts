import type { Cancel, Clock, ObjectStore, StoredObject } from '../model.js';

/** `--event-ttl` of an API server. Source: KK pkg/controlplane/apiserver/options, 1h0m0s. */
const LIVES_MS = 3_600_000;

/** How many Events a cluster keeps; a real one keeps all of an hour. */
export const MOST_EVENTS = 500;

/**
 * Removes Events an hour after their last write, and the oldest of more than a cluster keeps. There is a timer only
 * while there are Events, and one at a time.
 */
export function expireEvents(store: ObjectStore, clock: Clock): Cancel {
  /** By their last write, the oldest first. */
  const written = new Map<string, { readonly event: StoredObject; readonly atMs: number }>();
  let waits = false;
  const remove = (uid: string, { metadata: { name, namespace } }: StoredObject): void => {
    written.delete(uid);
    store.delete({ resource: 'events', name, ...(namespace !== undefined && { namespace }) });
  };
  const sweep = (): void => {
    waits = false;
    for (const [uid, { event, atMs }] of written) {
      const leftMs = atMs + LIVES_MS - clock.nowMs();
      if (leftMs > 0) {
        wait(leftMs);
        return;
      }
      remove(uid, event);
    }
  };
  const wait = (forMs: number): void => {
    if (waits) return;
    waits = true;
    clock.schedule(forMs, sweep);
  };
  return store.onChange('events', ({ type, object }) => {
    const { uid } = object.metadata;
    written.delete(uid);
    if (type === 'DELETED') return;
    written.set(uid, { event: object, atMs: clock.nowMs() });
    const [oldest] = written.size > MOST_EVENTS ? written : [];
    if (oldest !== undefined) remove(oldest[0], oldest[1].event);
    wait(LIVES_MS);
  });
}
