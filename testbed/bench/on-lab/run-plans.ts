import { openBenchEnvironment, type BenchContext } from './bench-environment.js';
import type { RunRecord } from './records.js';
import { runTurn, type Stage } from './run-turn.js';
import type { LabPlan, Turn } from './schedule.js';

/** A machine that failed this often will fail again. */
const MOST_FAILURES_IN_A_ROW = 3;

export interface Progress extends BenchContext {
  readonly keep: (record: RunRecord) => void;
}

/**
 * Runs all plans, lab by lab. After a failure the next run gets a new lab, because the state of the old one is
 * unknown.
 */
export async function runPlans(plans: readonly LabPlan[], progress: Progress): Promise<void> {
  const counter = countTurns(plans, progress);
  let failures = 0;
  for (const { nodes, turns } of plans) {
    let waiting = turns;
    while (waiting.length > 0) {
      const records = await onOneLab(nodes, waiting, { ...progress, counter });
      waiting = waiting.slice(records.length);
      failures = countFailures(failures, records);
      if (failures >= MOST_FAILURES_IN_A_ROW)
        throw new Error(`${failures} runs failed in a row; see the reason of the last one`);
    }
  }
}

function countFailures(before: number, records: readonly RunRecord[]): number {
  return records.reduce((count, { failed }) => (failed === null ? 0 : count + 1), before);
}

interface Counted extends Progress {
  readonly counter: (turn: Turn) => void;
}

/** Runs turns until one fails. The lab is removed in any case. */
async function onOneLab(
  nodes: number,
  turns: readonly Turn[],
  { counter, keep, ...context }: Counted,
): Promise<readonly RunRecord[]> {
  const { signal, report } = context;
  signal.throwIfAborted();
  report(`starting a lab with ${nodes} control-plane node(s)`);
  const stage: Stage = { environment: await openBenchEnvironment(nodes, context), product: null };
  const records: RunRecord[] = [];
  try {
    for (const turn of turns) {
      counter(turn);
      const record = await runTurn(stage, turn);
      records.push(record);
      keep(record);
      if (record.failed !== null) break;
    }
  } finally {
    await stage.product?.stop();
    await stage.environment.close();
  }
  return records;
}

/** Reports the start of each turn, with an estimate of the remaining time. */
function countTurns(plans: readonly LabPlan[], { report }: Progress): (turn: Turn) => void {
  const all = plans.reduce((count, { turns }) => count + turns.length, 0);
  const beganMs = Date.now();
  let begun = 0;
  return ({ row, run }) => {
    const minutes = ((Date.now() - beganMs) / 60_000 / begun) * (all - begun);
    const rest = begun === 0 ? '' : `, about ${Math.ceil(minutes)} min to go`;
    begun += 1;
    report(`[${begun}/${all}] ${row.title}, run ${run}${rest}`);
  };
}
