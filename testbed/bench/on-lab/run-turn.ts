import { nodeNames, type BenchEnvironment } from './bench-environment.js';
import { layBaseline } from './bench-baseline.js';
import { guideManifests } from './guide-files.js';
import { guideBack, guideForward } from './guide.js';
import { thisMachine } from '../bench-machine.js';
import { measureDirection } from './measure.js';
import { orderOf } from './orders.js';
import { startProduct, type Product } from './product.js';
import type { RunMeasurement, RunRecord } from './records.js';
import { firstLeader, type Turn } from './schedule.js';

/** Moves the controllers of one cluster in both directions. */
interface Mover {
  readonly order: readonly string[] | null;
  readonly forward: () => Promise<void>;
  readonly back: () => Promise<void>;
}

/** A lab with the product beside it, which is started by its first turn. */
export interface Stage {
  readonly environment: BenchEnvironment;
  product: Product | null;
}

/** Runs one row forward and back, from the same initial state. A failure is recorded; only an abort rejects. */
export async function runTurn(stage: Stage, turn: Turn): Promise<RunRecord> {
  const { environment } = stage;
  const { row, run } = turn;
  const leader = firstLeader(nodeNames(environment), run);
  const at = new Date().toISOString();
  const directions: RunMeasurement[] = [];
  let order: readonly string[] | null = null;
  let failed: string | null = null;
  try {
    const marked = `${row.name} ${run} ${at}`;
    const mover = await moverOf(stage, turn, marked);
    order = mover.order;
    await layBaseline(environment, leader, marked);
    directions.push(await measureDirection(environment, 'forward', mover.forward));
    directions.push(await measureDirection(environment, 'back', mover.back));
  } catch (error) {
    if (environment.signal.aborted) throw error;
    failed = error instanceof Error ? error.message : String(error);
    environment.report(`  FAILED: ${failed}`);
  }
  const machine = thisMachine();
  return {
    kind: 'HandoverRun',
    row: row.name,
    run,
    at,
    leader,
    order,
    directions,
    failed,
    machine,
  };
}

async function moverOf(stage: Stage, { row: { contender } }: Turn, marked: string): Promise<Mover> {
  const { environment } = stage;
  switch (contender.kind) {
    case 'product': {
      const product = (stage.product ??= await startProduct(environment, contender.forward));
      return {
        order: null,
        forward: () => product.migrate('ccm'),
        back: () => product.migrate('kcm'),
      };
    }
    case 'guide': {
      const { files, change } = contender;
      const order = orderOf(nodeNames(environment), contender.order);
      const manifests = guideManifests(marked);
      const script = { environment, order, files, manifests, change };
      return { order, forward: () => guideForward(script), back: () => guideBack(script) };
    }
  }
}
