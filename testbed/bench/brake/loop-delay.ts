import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { IntervalHistogram } from 'node:perf_hooks';

/** The module that probed processes preload, with the folder that they write to. */
export function probeUrl(program: string, folder: string): string {
  const url = pathToFileURL(program);
  url.searchParams.set('folder', folder);
  return url.href;
}

/** The folder of such a URL; null for any other one. */
export function folderIn(url: string): string | null {
  return new URL(url).searchParams.get('folder');
}

/** How much later than it should the event loop of a process took its turns, in ms. */
export interface LoopDelay {
  readonly p99: number;
  readonly max: number;
}

/** A monitor counts its own interval of 10 ms as delay. */
const RESOLUTION_MS = 10;

export function delayIn(delays: Pick<IntervalHistogram, 'percentile' | 'max'>): LoopDelay {
  const late = (ns: number): number => Math.max(0, Math.round(ns / 1e6) - RESOLUTION_MS);
  return { p99: late(delays.percentile(99)), max: late(delays.max) };
}

/** What the probed processes wrote last, by their program's name. */
export function readDelays(folder: string): Readonly<Record<string, LoopDelay>> {
  const entries = readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- loop-delay-probe.ts wrote it
    return [file.replace(/-\d+\.json$/, ''), JSON.parse(text) as LoopDelay] as const;
  });
  return Object.fromEntries(entries);
}
