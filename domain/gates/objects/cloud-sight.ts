import { METRIC_CODES, OBJECT_CODES } from '../soft-codes.js';
import type { GateVerdict } from '../verdicts.js';
import { failingObjects } from './failing-objects.js';
import { namedFew, saidBy } from './failure-text.js';
import { type ObjectBook, wasBooked } from './object-book.js';
import type { CloudReason, ObjectReading } from './object-reading.js';

/** Each is told after a call that the cloud answered. `Synced` comes from cloud-node, which found the instance of its Node. */
const PROOFS: readonly CloudReason[] = ['EnsuredLoadBalancer', 'UpdatedLoadBalancer', 'Synced'];

/**
 * Whether the new owner sees the cloud: it may hold its Leases with green health while its credentials are wrong. A process
 * never continues the Event of another one, so an Event made since the handover is its own, whatever its clock says.
 */
export function cloudSight(
  book: ObjectBook,
  reading: ObjectReading,
  handoverAtMs: number,
): GateVerdict {
  const gate = { gate: 'cloudSight', hardness: 'soft', code: OBJECT_CODES.sight } as const;
  const own = reading.events.filter(({ madeAtMs }) => madeAtMs >= handoverAtMs);
  const proof = own.find(({ reason }) => PROOFS.includes(reason));
  if (proof !== undefined) {
    return { ...gate, verdict: 'pass', detail: `told since the handover: ${proof.reason}` };
  }
  const { services, routes } = failingObjects(reading);
  const said = [
    ...services.map((each) => ({ ...each, booked: book.services })),
    ...routes.map((each) => ({ ...each, booked: book.routes })),
  ].filter(({ event }) => own.includes(event));
  const failed = said.filter(({ booked, key }) => wasBooked(booked, key) === false);
  const [first] = failed;
  if (first === undefined) {
    const detail = 'nothing told since the handover shows whether the new owner sees the cloud';
    const unknown = {
      ...gate,
      verdict: 'inconclusive',
      detail,
      code: METRIC_CODES.suspect,
    } as const;
    // Whether these failed before is not known any more, so they are no reason to go on.
    return said.some(({ booked }) => booked.kind === 'lost')
      ? unknown
      : { ...unknown, noted: true };
  }
  const names = namedFew(failed.map(({ name }) => name));
  const detail = `no call has succeeded since the handover, and these failed: ${names}; ${saidBy(first)}`;
  return { ...gate, verdict: 'fail', detail };
}
