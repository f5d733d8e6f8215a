import { appendFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { metricsRounds } from './metrics-rounds.js';
import { ProcessWatch } from './process-watch.js';
import type { WitnessLine, WitnessOrder } from './witness-line.js';

/** How late a death is seen, at most, as long as this process gets its turn. */
const LOOK_AGAIN_EVERY_MS = 50;
const LOOKS_PER_LOOK_AROUND = 4;
const LOOKS_PER_SIGN_OF_LIFE = 10;

/** A machine with two cores is busy while nodes boot; who watches must not be the last to get its turn. */
const PRIORITY = -10;

/**
 * The witness of a lab, a process of its own: nothing that keeps the lab's owner busy may keep it from looking. Reads
 * its order from standard input and ends when that is closed, as the kernel does however its owner ends.
 */
export async function witness(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => undefined);
  const order = await firstLine();
  setPriority(PRIORITY);
  const say = (line: WitnessLine): void => {
    appendFileSync(order.file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  };
  const watch = new ProcessWatch(order, say);
  let looks = 0;
  setInterval(() => {
    if (looks % LOOKS_PER_LOOK_AROUND === 0) watch.lookAround();
    watch.lookAgain();
    if (looks % LOOKS_PER_SIGN_OF_LIFE === 0) say({ kind: 'looking', atMs: Date.now() });
    looks += 1;
  }, LOOK_AGAIN_EVERY_MS);
  await metricsRounds(() => watch.living(), order.clients, say);
}

/** The order is one line; the end of the input is the end of this process. */
async function firstLine(): Promise<WitnessOrder> {
  return new Promise((resolve) => {
    let text = '';
    let isRead = false;
    process.stdin.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (isRead || !text.includes('\n')) return;
      isRead = true;
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- start-witness.ts wrote it
      resolve(JSON.parse(text) as WitnessOrder);
    });
    process.stdin.on('end', () => process.exit(0));
  });
}
