import { ownerName } from '../../simulator/truth/journal-check.js';
import type { Holder, LivingProcess } from './holders.js';
import { OWNED, type OwnedLoop } from './loops-of-process.js';

/** A process ran a controller from then on, until it ended. Pauses lie between. Epoch ms. */
export interface OwnerSpan extends LivingProcess {
  readonly controller: OwnedLoop;
  /** Like `kcm:cp-1#4711`; the number is the host's. */
  readonly owner: string;
  readonly fromMs: number;
  readonly toMs: number | null;
}

/**
 * Who ran what. Loops begin when their Lease is taken and end with their process alone: whoever lost a Lease, or had it
 * emptied, runs on until it notices and exits (measured: 10 s). Bounds are the wider ones, so that no overlap is missed.
 */
export function ownerSpans(
  processes: readonly LivingProcess[],
  holders: readonly Holder[],
): readonly OwnerSpan[] {
  return processes.flatMap((process) =>
    OWNED.flatMap((controller) => {
      const fromMs = beginning(process, controller, holders);
      if (fromMs === null) return [];
      const { life } = process;
      return [{ ...process, controller, owner: ownerName(life), fromMs, toMs: life.endedMs }];
    }),
  );
}

function beginning(
  { life, loops }: LivingProcess,
  controller: OwnedLoop,
  holders: readonly Holder[],
): number | null {
  const tenures = holders.find((holder) => holder.life.id === life.id)?.tenures ?? [];
  const taken = (lease: string | null): number | null =>
    tenures.find((tenure) => tenure.lease === lease)?.fromMs ?? null;
  if (loops.underMain.includes(controller)) {
    return loops.mainLease === null ? life.startedAtMs : taken(loops.mainLease);
  }
  return loops.underMigration.includes(controller) ? taken(loops.migrationLease) : null;
}
