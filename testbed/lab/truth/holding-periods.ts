import type { LeaseWrite } from './audit-entry.js';

/** A period in which one identity held one Lease, derived from the writes that the API server executed. Epoch ms. */
export interface HoldingPeriod {
  readonly lease: string;
  readonly identity: string;
  /** Arrival of the write that acquired it. */
  readonly fromMs: number;
  /** Arrival of the last renewal. */
  readonly lastWriteMs: number;
  /** Response to the write that took it over or released it; null while it lasts. */
  readonly toMs: number | null;
  /** All users that wrote it as the holder. One user from one address, unless something is wrong. */
  readonly users: readonly string[];
  readonly addresses: readonly string[];
}

/** Holding periods of all Leases, ordered by their start. Expiry does not end one: only a write changes the holder. */
export function lockHoldingPeriods(writes: readonly LeaseWrite[]): readonly HoldingPeriod[] {
  const ended: HoldingPeriod[] = [];
  const current = new Map<string, HoldingPeriod>();
  for (const write of [...writes].sort((one, other) => one.toMs - other.toMs)) {
    const before = current.get(write.lease);
    const holder = write.holder ?? before?.identity ?? '';
    if (before !== undefined && before.identity === holder) {
      if (write.holder !== null) current.set(write.lease, renewed(before, write));
      continue;
    }
    if (before !== undefined) ended.push({ ...before, toMs: write.toMs });
    current.delete(write.lease);
    if (holder !== '') current.set(write.lease, begun(write, holder));
  }
  return [...ended, ...current.values()].sort((one, other) => one.fromMs - other.fromMs);
}

function begun({ lease, fromMs, user, address }: LeaseWrite, identity: string): HoldingPeriod {
  return {
    ...{ lease, identity, fromMs, lastWriteMs: fromMs, toMs: null },
    ...{ users: [user], addresses: [address] },
  };
}

function renewed(
  holdingPeriod: HoldingPeriod,
  { fromMs, user, address }: LeaseWrite,
): HoldingPeriod {
  return {
    ...holdingPeriod,
    lastWriteMs: fromMs,
    users: withOne(holdingPeriod.users, user),
    addresses: withOne(holdingPeriod.addresses, address),
  };
}

function withOne(list: readonly string[], one: string): readonly string[] {
  return list.includes(one) ? list : [...list, one];
}
