import { nodeNames, type Arena } from './arena.js';
import { layBaseline } from './baseline.js';
import { guideBack, guideForward } from './guide.js';
import { thisMachine } from './machine.js';
import { measureLeg } from './measure.js';
import { orderOf } from './orders.js';
import { startProduct, type Product } from './product.js';
import type { LegRecord, RunRecord } from './records.js';
import { firstLeader, type Turn } from './schedule.js';

/** Moves the controllers of one cluster in both directions. */
interface Mover {
  readonly order: readonly string[] | null;
  readonly forward: () => Promise<void>;
  readonly back: () => Promise<void>;
}

/** A lab with the product beside it, which is started when its first turn comes. */
export interface Stage {
  readonly arena: Arena;
  product: Product | null;
}

/** One run there and back from the same beginning. What goes wrong is told in the record; only an abortion rejects. */
export async function runTurn(stage: Stage, turn: Turn): Promise<RunRecord> {
  const { arena } = stage;
  const leader = firstLeader(nodeNames(arena), turn.run);
  const at = new Date().toISOString();
  const legs: LegRecord[] = [];
  let order: readonly string[] | null = null;
  let failed: string | null = null;
  try {
    const mover = await moverOf(stage, turn);
    order = mover.order;
    await layBaseline(arena, leader);
    legs.push(await measureLeg(arena, 'forward', mover.forward));
    legs.push(await measureLeg(arena, 'back', mover.back));
  } catch (error) {
    if (arena.signal.aborted) throw error;
    failed = error instanceof Error ? error.message : String(error);
    arena.report(`  FAILED: ${failed}`);
  }
  const { row, run } = turn;
  const machine = thisMachine();
  return { kind: 'HandoverRun', row: row.name, run, at, leader, order, legs, failed, machine };
}

async function moverOf(stage: Stage, { row: { contender } }: Turn): Promise<Mover> {
  const { arena } = stage;
  switch (contender.kind) {
    case 'product': {
      const product = (stage.product ??= await startProduct(arena, contender.forward));
      return {
        order: null,
        forward: () => product.migrate('ccm'),
        back: () => product.migrate('kcm'),
      };
    }
    case 'guide': {
      const { files, change } = contender;
      const order = orderOf(nodeNames(arena), contender.order);
      const script = { arena, order, files, change };
      return { order, forward: () => guideForward(script), back: () => guideBack(script) };
    }
  }
}
