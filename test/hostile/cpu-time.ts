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
 * How much longer than on an idle machine work takes now, at least 1: a busy neighbour on the same core, or a slower machine, lengthens
 * the CPU time of everything. Never less, so that a fast machine does not shorten what is allowed.
 */
export function slowness(): number {
  const shares = Array.from({ length: REFERENCE_RUNS }, () => usedMs(reference) / REFERENCE_MS);
  return Math.max(1, Math.min(...shares));
}

/** CPU time in ms of `reference` on an idle machine of the kind for which `LONGEST_MS` was chosen. */
const REFERENCE_MS = 16;
const REFERENCE_RUNS = 4;

/** Work like that of the parsers: many small objects, keys and matches. */
function reference(): number {
  const members = Array.from({ length: 4000 }, (_, index) => `"k${index}":{"n":"c${index}"}`);
  const text = `{${members.join()}}`;
  let sum = 0;
  for (let pass = 0; pass < 3; pass += 1) {
    const values = Object.entries(JSON.parse(text) as Record<string, { n: string }>);
    for (const [key, { n }] of values) sum += key.length + Number(/c(\d+)/.exec(n)?.[1]);
  }
  return sum;
}

function usedMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * CPU time of this process in ms that a piece of work takes without yielding to the event loop; stops trying once an attempt is short
 * enough.
 */
export function cpuMs(work: () => unknown, enough: number): number {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > enough; attempt += 1) {
    if (attempt > 1) pause();
    least = Math.min(
      least,
      usedMs(() => answered(work)),
    );
  }
  return least;
}

function answered(work: () => unknown): void {
  try {
    work();
  } catch {
    // A refusal is an answer too; what it says is tested elsewhere.
  }
}
