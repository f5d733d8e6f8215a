import type { CloudReason, ObjectEvent } from './object-reading.js';

/** Events by their object and reason. */
export interface ToldEvents {
  /** The last time that one of the reasons was told of an object; -Infinity for never. */
  lastAtMs(about: string, ...reasons: readonly CloudReason[]): number;
  /** The Event that was told last. */
  last(about: string, ...reasons: readonly CloudReason[]): ObjectEvent | undefined;
}

export function toldEvents(events: readonly ObjectEvent[]): ToldEvents {
  const lastOf = new Map<string, ObjectEvent>();
  for (const event of events) {
    const key = `${event.reason} ${event.about}`;
    const before = lastOf.get(key);
    if (before === undefined || event.lastAtMs > before.lastAtMs) lastOf.set(key, event);
  }
  const last: ToldEvents['last'] = (about, ...reasons) =>
    reasons
      .flatMap((reason) => lastOf.get(`${reason} ${about}`) ?? [])
      .sort((a, b) => b.lastAtMs - a.lastAtMs)
      .at(0);
  return { last, lastAtMs: (...asked) => last(...asked)?.lastAtMs ?? Number.NEGATIVE_INFINITY };
}
