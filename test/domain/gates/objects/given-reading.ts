import type {
  CloudReason,
  CloudNodeFacts,
  ObjectEvent,
  ObjectReading,
  ServiceFacts,
} from '../../../../domain/gates/objects/object-reading.js';

export const NOW_MS = 1_790_000_000_000;
export const DAY_MS = 86_400_000;
const SECOND = 1000;
export const MINUTE = 60 * SECOND;

/** A Service with an address, a day old. Its uid is that of its name. */
export function service(name: string, changes: Partial<ServiceFacts> = {}): ServiceFacts {
  return {
    name: `shop/${name}`,
    uid: `uid-${name}`,
    createdAtMs: NOW_MS - DAY_MS,
    hasAddress: true,
    leaving: false,
    ...changes,
  };
}

/** An initialised Node, a day old. */
export function worker(name: string, changes: Partial<CloudNodeFacts> = {}): CloudNodeFacts {
  return {
    name,
    createdAtMs: NOW_MS - DAY_MS,
    uninitialized: false,
    routedSinceMs: null,
    ...changes,
  };
}

/** An Event about a Service's uid or a Node's name, told once, so many ms ago. */
export function told(
  reason: CloudReason,
  about: string,
  agoMs: number,
  changes: Partial<ObjectEvent> = {},
): ObjectEvent {
  const atMs = NOW_MS - agoMs;
  return { reason, about, madeAtMs: atMs, lastAtMs: atMs, message: 'quota exceeded', ...changes };
}

export function reading(changes: Partial<ObjectReading> = {}): ObjectReading {
  return { serverTimeMs: NOW_MS, services: [], nodes: [], events: [], ...changes };
}

/** Names of so many objects: `web-1`, `web-2`, … */
export function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `web-${String(index + 1)}`);
}
