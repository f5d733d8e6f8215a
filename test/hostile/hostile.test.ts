import { describe, expect, it } from '@jest/globals';
import { cpuMs } from './cpu-time.js';
import { DOORS } from './doors.js';
import { SHAPES } from './shapes.js';

/** What nobody may hold up the event loop of a worker for: its guards renew the fences of all clusters on it. */
const LONGEST_MS = 50;

describe('what strangers send, as long as it may be', () => {
  it.each(DOORS.map((door) => [door.name, door] as const))(
    '%s holds nobody up',
    (_name, { read, characters }) => {
      const slow = SHAPES.flatMap(([shape, make]) =>
        characters.flatMap((length) => {
          const text = make(length);
          const bytes = Buffer.from(text);
          const ms = cpuMs(() => read(text, bytes), LONGEST_MS);
          return ms > LONGEST_MS ? [`${shape}, ${length}: ${ms.toFixed(0)} ms`] : [];
        }),
      );
      expect(slow).toEqual([]);
    },
  );
});
