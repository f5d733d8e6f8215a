import { nodeNames, type Arena } from './arena.js';
import { layBaseline } from './baseline.js';
import { guideManifests } from './guide-files.js';
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

/** A lab with the product beside it, which is started by its first turn. */
export interface Stage {
  readonly arena: Arena;
  product: Product | null;
}

/** Runs one row forward and back, from the same initial state. A failure is recorded; only an abort rejects. */
export async function runTurn(stage: Stage, turn: Turn): Promise<RunRecord> {
  const { arena } = stage;
  const { row, run } = turn;
  const leader = firstLeader(nodeNames(arena), run);
  const at = new Date().toISOString();
  const legs: LegRecord[] = [];
  let order: readonly string[] | null = null;
  let failed: string | null = null;
  try {
    const marked = `${row.name} ${run} ${at}`;
    const mover = await moverOf(stage, turn, marked);
    order = mover.order;
    await layBaseline(arena, leader, marked);
    legs.push(await measureLeg(arena, 'forward', mover.forward));
    legs.push(await measureLeg(arena, 'back', mover.back));
  } catch (error) {
    if (arena.signal.aborted) throw error;
    failed = error instanceof Error ? error.message : String(error);
    arena.report(`  FAILED: ${failed}`);
  }
  const machine = thisMachine();
  return { kind: 'HandoverRun', row: row.name, run, at, leader, order, legs, failed, machine };
}

async function moverOf(stage: Stage, { row: { contender } }: Turn, marked: string): Promise<Mover> {
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
      const manifests = guideManifests(marked);
      const script = { arena, order, files, manifests, change };
      return { order, forward: () => guideForward(script), back: () => guideBack(script) };
    }
  }
}
