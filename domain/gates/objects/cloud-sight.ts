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
  const failed = [
    ...services.filter(({ key }) => wasBooked(book.services, key) === false),
    ...routes.filter(({ key }) => wasBooked(book.routes, key) === false),
  ].filter(({ event }) => own.includes(event));
  const [first] = failed;
  if (first === undefined) {
    const detail = 'nothing told since the handover shows whether the new owner sees the cloud';
    return { ...gate, verdict: 'inconclusive', noted: true, detail, code: METRIC_CODES.suspect };
  }
  const names = namedFew(failed.map(({ name }) => name));
  const detail = `no call has succeeded since the handover, and these failed: ${names}; ${saidBy(first)}`;
  return { ...gate, verdict: 'fail', detail };
}
