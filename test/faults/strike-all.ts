import { strikeRun, type Strikes } from './matrix.js';

export interface Summary {
  readonly runs: number;
  readonly struck: number;
  readonly holds: number;
  /** Requests of the golden run that no run struck. */
  readonly missed: readonly number[];
  readonly complaints: readonly string[];
}

/** Runs at the same time in one process: most of a run waits for responses. */
const AT_ONCE = 2;

/** All runs of one fault, so that together they strike every request, or some of them; prints the result. */
export async function strikeAll(
  order: Omit<Strikes, 'run'>,
  some?: readonly number[],
): Promise<Summary> {
  const { fault, runs } = order;
  const struck = new Set<number>();
  const sum = { runs: 0, struck: 0, holds: 0, fewest: Infinity };
  const complaints: string[] = [];
  const waiting = [...(some ?? Array.from({ length: runs }, (_, nth) => nth))];
  const work = async (): Promise<void> => {
    for (let nth = waiting.shift(); nth !== undefined; nth = waiting.shift()) {
      const run = await strikeRun({ ...order, run: nth }).catch((error: unknown) => ({
        indexes: [],
        requests: Infinity,
        holds: 0,
        complaints: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      }));
      for (const index of run.indexes) struck.add(index);
      sum.runs += 1;
      sum.struck += run.indexes.length;
      sum.holds += run.holds;
      sum.fewest = Math.min(sum.fewest, run.requests);
      complaints.push(...run.complaints.map((each) => `${fault}, run ${String(nth)}: ${each}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const every = Array.from({ length: Number.isFinite(sum.fewest) ? sum.fewest : 0 }, (_, i) => i);
  const missed = every.filter((index) => !struck.has(index));
  const words = `${String(sum.runs)} runs, ${String(sum.struck)} requests struck, ${String(sum.holds)} holds answered with retry`;
  const nodes = `${String(order.nodes ?? 3)} nodes`;
  process.stdout.write(`${fault} on ${nodes}: ${words}, ${String(complaints.length)} complaints\n`);
  return { ...sum, missed, complaints };
}
