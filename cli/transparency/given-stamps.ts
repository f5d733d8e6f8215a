import type { LogTimestamps } from '../../domain/authority/access-policy.js';
import type { LogStamps, UtcTime } from '../../domain/transparency/log-stamps.js';
import type { StoredLog } from './log-files.js';
import { stampAt, stampedSizesIn } from './log-timestamps.js';

/** Timestamps of a log, of which an audit reads those that it needs: each is checked once. */
export interface GivenStamps {
  /** Sizes of the log that were stamped, rising; none where no authority is trusted. */
  readonly sizes: readonly number[];
  /** @throws Error in plain words, for one that proves nothing */
  readonly read: (sizes: readonly number[]) => Promise<LogStamps>;
}

const NONE: GivenStamps = {
  sizes: [],
  read: () => Promise.resolve({ made: new Map(), withinSeconds: 0 }),
};

/** @throws Error where the log was cut off since it was stamped */
export async function givenStamps(
  folder: string,
  log: Pick<StoredLog, 'checkpoint' | 'levels'>,
  trusted: LogTimestamps | null,
): Promise<GivenStamps> {
  if (trusted === null) return NONE;
  const { authorities, withinSeconds } = trusted;
  const sizes = await stampedSizesIn(folder);
  const [has, stamped] = [log.checkpoint.size, sizes.at(-1) ?? 0];
  if (stamped > has) {
    throw new Error(
      `log ${folder}: it had ${String(stamped)} entries when it was stamped, and has ${String(has)}`,
    );
  }
  const known = new Map<number, UtcTime>();
  return {
    sizes,
    read: async (needed) => {
      const made = new Map<number, UtcTime>();
      for (const size of needed) {
        const at = known.get(size) ?? (await stampAt(folder, log, { size, authorities }));
        known.set(size, at);
        made.set(size, at);
      }
      return { made, withinSeconds };
    },
  };
}
