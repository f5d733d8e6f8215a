import type { MachineAnswer, MachineView } from './machine.js';

/** What every change of a machine carries (docs/contracts/machines-api.md). */
export interface OrderGuard {
  readonly epoch: number;
  readonly idempotencyKey: string;
}

/** Requests seen so far: rejects those of an older run, and an idempotency key that was used for another request. */
export class OrderBook {
  private newestEpoch = 0;
  private readonly keys = new Map<string, string>();
  private readonly answers = new Map<string, MachineAnswer>();

  /** Null when the request is admitted; it is then recorded. */
  refusal({ epoch, idempotencyKey }: OrderGuard, body: string): MachineAnswer | null {
    if (epoch < this.newestEpoch) {
      const message = `epoch ${String(epoch)} is older than ${String(this.newestEpoch)}`;
      return { kind: 'refused', reason: 'StaleEpoch', message };
    }
    const before = this.keys.get(idempotencyKey);
    if (before !== undefined && before !== body) {
      const message = `idempotency key ${idempotencyKey} was used for another request`;
      return { kind: 'refused', reason: 'Conflict', message };
    }
    this.newestEpoch = epoch;
    this.keys.set(idempotencyKey, body);
    return null;
  }

  /** What the request with this key was answered when it had its effect, which it has once; null while it had none. */
  earlier({ idempotencyKey }: Pick<OrderGuard, 'idempotencyKey'>): MachineAnswer | null {
    return this.answers.get(idempotencyKey) ?? null;
  }

  /** Called with the answer to a request that has its effect now. */
  answered(
    { idempotencyKey }: Pick<OrderGuard, 'idempotencyKey'>,
    answer: MachineAnswer,
  ): MachineAnswer {
    this.answers.set(idempotencyKey, answer);
    return answer;
  }
}

/** A machine as the contract represents it; its Node has the same name. */
export function machineView({
  name,
  side,
  state,
  reason,
}: Pick<MachineView, 'name' | 'side' | 'state' | 'reason'>): MachineView {
  const isNode = state === 'ready' || state === 'deleting';
  const providerId = state === 'ordered' || state === 'failed' ? null : `labcloud://${name}`;
  return { name, side, state, node: isNode ? name : null, providerId, reason };
}
