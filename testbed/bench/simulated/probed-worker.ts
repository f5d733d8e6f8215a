/**
 * The product's worker, unchanged, in a process that also says how much of its heap is alive: on SIGUSR2 it collects garbage in
 * all its threads and prints one line. The bench starts it; the product has no such switch.
 */
import { liveHeap } from './live-heap.js';

let readings = 0;
process.on('SIGUSR2', () => {
  readings += 1;
  const reading = readings;
  void liveHeap().then((bytes) => {
    process.stdout.write(`${JSON.stringify({ liveHeap: reading, bytes })}\n`);
  });
});

await import('../../../workers/main.js');
