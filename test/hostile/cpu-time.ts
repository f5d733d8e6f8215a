/**
 * Takes the lowest of several attempts, with pauses between them, so that other processes, the compiler and the garbage collector do not
 * count.
 */
const ATTEMPTS = 8;
const BETWEEN_MS = 200;

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_MS);
}

/**
 * CPU time of this process in ms that a piece of work takes without yielding to the event loop; stops trying once an attempt is short
 * enough.
 */
export function cpuMs(work: () => unknown, enough: number): number {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > enough; attempt += 1) {
    if (attempt > 1) pause();
    const before = process.cpuUsage();
    try {
      work();
    } catch {
      // A refusal is an answer too; what it says is tested elsewhere.
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
