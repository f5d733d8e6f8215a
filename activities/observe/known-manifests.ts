import { managerConfig } from '../../domain/documents/manager-arguments.js';
import { readManagerManifest } from '../../domain/documents/read-manifest.js';

/** Room for the texts of some hundred clusters: their nodes mostly hold the same ones. In characters of what was asked. */
const ROOM = 16 * 1024 * 1024;

/** Reads a manifest, each text once: guards look at the same files every few seconds, and parsing is most of a look. */
export const knownManifest = onceEach(readManagerManifest, (text) => text);

/** Settings of a manager, each set of arguments and files understood once. */
export const knownConfig = onceEach(managerConfig, (given) => JSON.stringify(given));

/**
 * What a pure function answered before is not worked out again. Forgets everything when there is too much: a node that
 * changes its files at each look must not take the memory of all clusters, nor is it worth more than another reading.
 */
export function onceEach<Given, Answer>(
  answer: (given: Given) => Answer,
  keyOf: (given: Given) => string,
  room = ROOM,
): (given: Given) => Answer {
  const known = new Map<string, Answer>();
  let taken = 0;
  return (given) => {
    const key = keyOf(given);
    const before = known.get(key);
    if (before !== undefined) return before;
    const now = answer(given);
    taken += key.length;
    if (taken > room) {
      known.clear();
      taken = key.length;
    }
    if (key.length <= room) known.set(key, now);
    return now;
  };
}
