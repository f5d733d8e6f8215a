import { unmeasured } from '../samples/measurement.js';
import type { KnownPlace } from './gate-book.js';
import type { PlaceReading, UnseenNode } from './gate-round.js';

/**
 * The pages of nodes that could not be seen: of each manager that ran there when it was seen last. They are unread and not
 * gone, as what they count meanwhile may be harm. A node that was never seen may run anything.
 */
export function unseenPlaces(
  known: readonly KnownPlace[],
  unseen: readonly UnseenNode[],
): readonly PlaceReading[] {
  return unseen.flatMap(({ node, isNew }): readonly PlaceReading[] => {
    const unread = { node, owns: false, scrape: unmeasured(unseenText(node)) };
    const ran = known.filter((each) => each.node === node);
    if (ran.length > 0) return ran.map((each) => ({ ...unread, ...each }));
    return isNew ? [] : [{ ...unread, place: node, serving: null }];
  });
}

export function unseenText(node: string): string {
  return `${node} cannot be reached`;
}

/** What is remembered of these pages, read or not. */
export function knownPlaces(places: readonly PlaceReading[]): readonly KnownPlace[] {
  return places.flatMap(({ node, place, serving }) =>
    serving === null ? [] : [{ node, place, serving }],
  );
}
