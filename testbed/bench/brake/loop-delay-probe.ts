/**
 * Preloaded into worker and simulator of a bench (`--import`): writes how late their event loops are, every few seconds. The folder
 * is part of its own URL.
 */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { delayIn, folderIn } from './loop-delay.js';

const folder = folderIn(import.meta.url);
if (folder !== null && isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  const name = `${basename(process.argv[1] ?? 'node', '.js')}-${String(process.pid)}.json`;
  setInterval(() => {
    writeFileSync(join(folder, name), JSON.stringify(delayIn(delays)));
  }, 2_000).unref();
}
