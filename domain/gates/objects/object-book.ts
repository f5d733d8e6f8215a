import { digestText } from '../../digest.js';
import { doubtfulObjects } from './failing-objects.js';
import type { ObjectReading } from './object-reading.js';

/**
 * The objects that failed before the first write of a run. Plain JSON of at most 2 KB, as it travels with each heartbeat of
 * the guard.
 */
export interface ObjectBook {
  readonly services: BookedObjects;
  readonly routes: BookedObjects;
  readonly nodes: BookedObjects;
}

/** Which objects they were, or only how many where there were too many to keep; or it was known once, and is lost. */
export type BookedObjects =
  | { readonly kind: 'lost' }
  | { readonly kind: 'listed'; readonly marks: readonly string[] }
  | { readonly kind: 'counted'; readonly count: number };

/** Most objects of one kind that are kept: eleven bytes each, in JSON. */
const MOST_KEPT = { services: 70, routes: 45, nodes: 45 } as const;

/** Digits of a digest: among a hundred marks and a thousand objects, one in 40,000 runs takes one object for another. */
const MARK_DIGITS = 8;
const PREFIX = 'sha256:'.length;

/** What is known of the objects before the first write, from a reading with the outcomes of all Services. */
export function beginObjects(reading: ObjectReading): ObjectBook {
  const { services, routes } = doubtfulObjects(reading);
  const nodes = reading.nodes.filter((node) => node.uninitialized).map(({ name }) => name);
  return {
    services: booked(services, MOST_KEPT.services),
    routes: booked(routes, MOST_KEPT.routes),
    nodes: booked(nodes, MOST_KEPT.nodes),
  };
}

const LOST = { kind: 'lost' } as const;
/** Where a run may have written and nothing is known of the time before. */
export const LOST_OBJECTS: ObjectBook = { services: LOST, routes: LOST, nodes: LOST };

export function countBooked(objects: BookedObjects): number {
  switch (objects.kind) {
    case 'listed':
      return objects.marks.length;
    case 'counted':
      return objects.count;
    case 'lost':
      return 0;
  }
}

/** Whether an object failed at the start. Null where only their number is known, or nothing any more. */
export function wasBooked(objects: BookedObjects, key: string): boolean | null {
  return objects.kind === 'listed' ? objects.marks.includes(markOf(key)) : null;
}

function booked(keys: readonly string[], most: number): BookedObjects {
  return keys.length > most
    ? { kind: 'counted', count: keys.length }
    : { kind: 'listed', marks: keys.map(markOf) };
}

function markOf(key: string): string {
  return digestText(key).slice(PREFIX, PREFIX + MARK_DIGITS);
}
