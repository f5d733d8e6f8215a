import { readManagerManifest } from '../../domain/documents/read-manifest.js';

type Reading = ReturnType<typeof readManagerManifest>;

/** Room for the manifests of some hundred clusters: their nodes mostly hold the same texts. */
const LIMIT = 2000;
const KNOWN = new Map<string, Reading>();

/** Reads a manifest, each text once: guards look at the same files every few seconds, and parsing is most of a look. */
export function knownManifest(text: string): Reading {
  const known = KNOWN.get(text);
  if (known !== undefined) return known;
  const reading = readManagerManifest(text);
  if (KNOWN.size >= LIMIT) KNOWN.clear();
  KNOWN.set(text, reading);
  return reading;
}
