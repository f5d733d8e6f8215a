import { ownerName } from '../../base/truth/journal-check.js';
import type { Holder, LivingProcess } from './holders.js';
import { OWNED, type OwnedController } from '../../base/truth/truth.js';

/** A process ran something from this moment until it ended, except during its pauses. Epoch ms. */
export interface RunningSpan extends LivingProcess {
  /** Like `kcm:cp-1#4711`, with the pid on the host. */
  readonly owner: string;
  readonly fromMs: number;
  readonly toMs: number | null;
}

export interface OwnerSpan extends RunningSpan {
  readonly controller: OwnedController;
}

/**
 * The owners over time. Loops begin when their Lease is acquired and end only with their process: one that lost its
 * Lease, or whose Lease was emptied, runs on until it notices and exits (measured: 10 s). The bounds are the wider
 * ones, so that no overlap is missed.
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

/** The leaders of the kube-controller-managers, which run all loops that are unrelated to the cloud. */
export function kcmLeaderSpans(
  processes: readonly LivingProcess[],
  holders: readonly Holder[],
): readonly RunningSpan[] {
  return processes.flatMap((process) => {
    const { life } = process;
    const fromMs = life.manager === 'kcm' ? mainBeginning(process, holders) : null;
    return fromMs === null
      ? []
      : [{ ...process, owner: ownerName(life), fromMs, toMs: life.endedMs }];
  });
}

function beginning(
  process: LivingProcess,
  controller: OwnedController,
  holders: readonly Holder[],
): number | null {
  const { loops } = process;
  if (loops.underMain.includes(controller)) return mainBeginning(process, holders);
  return loops.underMigration.includes(controller)
    ? taken(process, loops.migrationLease, holders)
    : null;
}

/** Without leader election a process runs its loops from its start. */
function mainBeginning(process: LivingProcess, holders: readonly Holder[]): number | null {
  const { life, loops } = process;
  return loops.mainLease === null ? life.startedAtMs : taken(process, loops.mainLease, holders);
}

function taken(
  { life }: LivingProcess,
  lease: string | null,
  holders: readonly Holder[],
): number | null {
  const holdingPeriods = holders.find((holder) => holder.life.id === life.id)?.holdingPeriods ?? [];
  return holdingPeriods.find((holdingPeriod) => holdingPeriod.lease === lease)?.fromMs ?? null;
}
