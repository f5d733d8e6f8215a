import { appendFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { metricsRounds } from './metrics-rounds.js';
import { ProcessWatch } from './process-watch.js';
import type { MonitorLine, MonitorOptions } from './monitor-line.js';

/** Maximum delay until an end is seen, as long as this process gets CPU time. */
const OBSERVE_EVERY_MS = 50;
const OBSERVATIONS_PER_SURVEY = 4;
const OBSERVATIONS_PER_SIGN_OF_LIFE = 10;

/** A machine with two cores is busy while nodes boot; the process monitor must not be starved. */
const PRIORITY = -10;

/**
 * The process monitor of a lab. It is a process of its own so that a busy owner cannot delay it. It reads its
 * configuration from standard input and ends when that is closed, which the kernel does however its owner ends.
 */
export async function monitor(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => undefined);
  const order = await firstLine();
  setPriority(PRIORITY);
  const say = (line: MonitorLine): void => {
    appendFileSync(order.file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  };
  const watch = new ProcessWatch(order, say);
  let observations = 0;
  setInterval(() => {
    if (observations % OBSERVATIONS_PER_SURVEY === 0) watch.observeAround();
    watch.observeAgain();
    if (observations % OBSERVATIONS_PER_SIGN_OF_LIFE === 0)
      say({ kind: 'observing', atMs: Date.now() });
    observations += 1;
  }, OBSERVE_EVERY_MS);
  await metricsRounds(() => watch.living(), order.clients, say);
}

/** The configuration is one line; the end of the input ends this process. */
async function firstLine(): Promise<MonitorOptions> {
  return new Promise((resolve) => {
    let text = '';
    let isRead = false;
    process.stdin.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (isRead || !text.includes('\n')) return;
      isRead = true;
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- start-witness.ts wrote it
      resolve(JSON.parse(text) as MonitorOptions);
    });
    process.stdin.on('end', () => process.exit(0));
  });
}
