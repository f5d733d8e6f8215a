import { describe, expect, it } from '@jest/globals';
import { cpuMs, slowness } from './cpu-time.js';
import { ENTRY_POINTS } from './entry-points.js';
import { SHAPES } from './shapes.js';

/** How long untrusted input may block a worker's event loop: the guards on it renew the fences of all its clusters. */
const LONGEST_MS = 50;

describe('untrusted input at its maximum length', () => {
  it.each(ENTRY_POINTS.map((entryPoint) => [entryPoint.name, entryPoint] as const))(
    'reading %s never blocks the event loop for longer than allowed',
    (_name, { read, characters }) => {
      const slow = SHAPES.flatMap(([shape, make]) =>
        characters.flatMap((length) => {
          const text = make(length);
          const bytes = Buffer.from(text);
          const ms = cpuMs(() => read(text, bytes), LONGEST_MS);
          if (ms <= LONGEST_MS || ms <= LONGEST_MS * slowness()) return [];
          return [`${shape}, ${length}: ${ms.toFixed(0)} ms`];
        }),
      );
      expect(slow).toEqual([]);
    },
  );
});
