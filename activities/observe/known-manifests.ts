import { managerConfig } from '../../domain/documents/manager-arguments.js';
import { readManagerManifest } from '../../domain/documents/read-manifest.js';

/** Room for the texts of a few hundred clusters, whose nodes mostly hold the same ones. In characters of the keys. */
const ROOM = 16 * 1024 * 1024;

/**
 * Reads a manifest, each text once: guards read the same files every few seconds, and parsing dominates an observation.
 */
export const knownManifest = onceEach(readManagerManifest, (text) => text);

/** Settings of a manager, each set of arguments and files understood once. */
export const knownConfig = onceEach(managerConfig, (given) => JSON.stringify(given));

/**
 * Memoises a pure function. Drops everything when it grows too large: a node that changes its files at each observation must
 * not use up the memory of all clusters.
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
