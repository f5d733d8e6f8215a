import { randomBytes } from 'node:crypto';

/** A value that must stay where it was put. */
export interface Canary {
  /** Where it was put, to show in a failure. */
  readonly place: string;
  readonly value: string;
}

/** Random, so that no text of ours can contain it by chance; it must not look like a credential. */
export function canary(place: string): Canary {
  return { place, value: `hidden${randomBytes(12).toString('hex')}` };
}

/** Which canaries a text contains and how, plain or in base64 (as in payloads and Secrets). */
export function leaksIn(source: string, text: string, canaries: readonly Canary[]): string[] {
  const readings = [text, ...decoded(text)];
  return canaries
    .filter(({ value }) => readings.some((reading) => reading.includes(value)))
    .map(({ place }) => `${source}: ${place}`);
}

const LONG_BASE64 = /[A-Za-z0-9+/_-]{24,}={0,2}/g;

/** What a text holds in base64, and in base64 within that. */
function decoded(text: string, depth = 2): readonly string[] {
  if (depth === 0) return [];
  return [...text.matchAll(LONG_BASE64)].flatMap(([run]) => {
    // A run may begin before the base64 does, so every alignment is read.
    const readings = [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64'));
    const texts = readings.map((bytes) => bytes.toString('utf8')).filter((each) => each !== '');
    return [...texts, ...texts.filter(isMostlyText).flatMap((each) => decoded(each, depth - 1))];
  });
}

function isMostlyText(text: string): boolean {
  return !text.includes('\uFFFD');
}
