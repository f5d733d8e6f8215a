import { checkpointBody } from '../../domain/transparency/checkpoint.js';
import type { AnchorLog } from './anchor-log.js';
import { stampedSizesIn, writeStamp } from './log-timestamps.js';

/** Has what a log says now stamped by an authority outside. */
export type StampLog = (folder: string, log: AnchorLog) => Promise<void>;

export interface Stamping {
  /** Asks an authority about a checkpoint; returns its answer. */
  readonly ask: (text: string) => Promise<Buffer>;
  /** Authorities do not like to be asked more often. */
  readonly everyMs: number;
  readonly now: () => number;
}

/** Stamps what has no timestamp yet, and not too often; what failed is tried again at once. */
export function logStamper({ ask, everyMs, now }: Stamping): StampLog {
  let last = -Infinity;
  return async (folder, { stored: { checkpoint } }) => {
    const { size } = checkpoint;
    const stamped = (await stampedSizesIn(folder)).at(-1) ?? 0;
    if (size <= stamped || now() - last < everyMs) return;
    await writeStamp(folder, size, await ask(checkpointBody(checkpoint)));
    last = now();
  };
}
