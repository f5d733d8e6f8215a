import type { FleetAction } from '../../../domain/fleet/fleet-events.js';
import type { Row } from '../../../domain/fleet/fleet-state.js';

type Slot = Pick<Row, 'index' | 'grant'>;

/** Orders to park that are under way, and the runs that have obeyed one and have no slot since. */
export class ParkedRuns {
  private readonly sent: (Slot & { overtaken: boolean })[] = [];
  private readonly without = new Map<number, number>();

  /** An order that gives the slot again is obeyed after the park that was sent before it. */
  note(actions: readonly FleetAction[]): void {
    for (const action of actions) {
      if (!('row' in action)) continue;
      const { kind, row: index, grant } = action;
      if (kind === 'park') this.sent.push({ index, grant, overtaken: false });
      else if (kind !== 'withdraw') this.gaveSlot(index);
    }
  }

  private gaveSlot(index: number): void {
    this.without.delete(index);
    for (const order of this.sent) if (order.index === index) order.overtaken = true;
  }

  /** The run changed its direction by itself, for which it needs no slot. */
  turned({ index }: Slot): void {
    this.gaveSlot(index);
  }

  /** The oldest order under way, which its run obeys now; null where there is none. */
  obeyNext(): Slot | null {
    const order = this.sent.shift();
    if (order === undefined) return null;
    if (!order.overtaken) this.without.set(order.index, order.grant);
    return order;
  }

  /** Whether the run has still to obey an order of this grant. */
  isComing({ index, grant }: Slot): boolean {
    return this.sent.some((order) => order.index === index && order.grant === grant);
  }

  has({ index, grant }: Slot): boolean {
    return this.without.get(index) === grant;
  }
}
