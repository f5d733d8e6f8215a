import type { Measurement } from '../samples/measurement.js';
import { PAST_LOST } from '../past-lost.js';
import { OBJECT_CODES, softCode } from '../soft-codes.js';
import type { GateVerdict, Verdict } from '../verdicts.js';
import { cloudSight } from './cloud-sight.js';
import {
  type FailingObject,
  failingObjects,
  INITIALISED_WITHIN_MS,
  waitingServices,
} from './failing-objects.js';
import { namedFew, saidBy } from './failure-text.js';
import { type BookedObjects, countBooked, type ObjectBook, wasBooked } from './object-book.js';
import { OBJECT_GATES, type ObjectGateName } from './object-gates.js';
import type { CloudNodeFacts, ObjectReading } from './object-reading.js';

/** What a reading is judged against, besides the book. */
export interface ObjectMoment {
  /**
   * Earliest time at which only the new owner could run the cloud controllers, epoch ms by the API server's clock: its Lease's
   * last transition, as a new owner tells its first success before we observe it. Null before that.
   */
  readonly handoverAtMs: number | null;
  /** Whether there was a handover before that is not known any more: then sight holds until a person skips it. */
  readonly isOwnerLost?: true;
}

/**
 * What Services, routes and Nodes say of the cloud controllers. All gates are soft: users break objects of their own, too.
 * What could not be read is `error`, never `pass`; sight is judged after the handover alone.
 */
export function judgeObjects(
  book: ObjectBook,
  reading: Measurement<ObjectReading>,
  moment: ObjectMoment,
): readonly GateVerdict[] {
  if (reading.kind === 'unmeasured') return unmeasuredGates(reading.why, moment);
  const { value } = reading;
  const { services, routes } = failingObjects(value);
  return [
    servicesKeepWorking(book, value, services),
    judged('routesKeepWorking', since(book.routes, routes, 'Node', 'routes')),
    nodesGetInitialised(book, value),
    ...sight(book, value, moment),
  ];
}

function sight(
  book: ObjectBook,
  reading: ObjectReading,
  { handoverAtMs, isOwnerLost }: ObjectMoment,
): readonly GateVerdict[] {
  if (handoverAtMs !== null) return [cloudSight(book, reading, handoverAtMs)];
  return isOwnerLost === true ? [judged('cloudSight', UNKNOWN_PAST)] : [];
}

interface Said {
  readonly verdict: Verdict;
  readonly detail: string;
  readonly noted?: true;
}

const UNKNOWN_PAST: Said = { verdict: 'error', detail: PAST_LOST };

function judged(gate: ObjectGateName, { verdict, detail, noted }: Said): GateVerdict {
  return {
    ...{ gate, hardness: 'soft', verdict, detail, code: softCode(verdict, OBJECT_CODES.objects) },
    ...(noted === undefined ? {} : { noted }),
  };
}

function unmeasuredGates(
  why: string,
  { handoverAtMs, isOwnerLost }: ObjectMoment,
): readonly GateVerdict[] {
  const asksSight = handoverAtMs !== null || isOwnerLost === true;
  return OBJECT_GATES.filter(({ name }) => name !== 'cloudSight' || asksSight).map(({ name }) =>
    judged(name, { verdict: 'error', detail: why }),
  );
}

/** A failure outweighs what waits; what waits is not known to be harm, and not known to be well. */
function servicesKeepWorking(
  { services: booked }: ObjectBook,
  reading: ObjectReading,
  failing: readonly FailingObject[],
): GateVerdict {
  const said = since(booked, failing, 'Service', 'Services');
  const failed = new Set(failing.map(({ key }) => key));
  const waiting = waitingServices(reading).filter(
    ({ uid }) => !failed.has(uid) && wasBooked(booked, uid) === false,
  );
  if (said.verdict === 'fail' || waiting.length === 0) return judged('servicesKeepWorking', said);
  const names = waiting.map(({ name }) => `Service ${name}`);
  const detail = `no address for more than 10 min, and no Event says why: ${namedFew(names)}`;
  return judged('servicesKeepWorking', { verdict: 'inconclusive', detail });
}

/** Set difference with the start: numbers alone would rise when each broken Service begins its back-off again. */
function since(
  booked: BookedObjects,
  failing: readonly FailingObject[],
  kind: 'Service' | 'Node',
  what: string,
): Said {
  if (booked.kind === 'lost') return UNKNOWN_PAST;
  if (booked.kind === 'counted') return sinceCount(booked.count, failing.length, what);
  const added = failing.filter(({ key }) => wasBooked(booked, key) === false);
  const [first] = added;
  if (first === undefined) {
    const as = failing.length === 0 ? 'none fails' : `${String(failing.length)} fail as before`;
    return { verdict: 'pass', detail: `${what}: ${as}` };
  }
  const names = namedFew(added.map(({ name }) => `${kind} ${name}`));
  return {
    verdict: 'fail',
    detail: `${what} fail that did not before: ${names}; ${saidBy(first)}`,
  };
}

/** More than at the start is a failure; fewer may be others, which holds nothing: such a cluster has failed for long. */
function sinceCount(before: number, now: number, what: string): Said {
  const numbers = `${String(now)} fail, ${String(before)} did at the start`;
  if (now > before) return { verdict: 'fail', detail: `${what}: ${numbers}` };
  if (now === 0) return { verdict: 'pass', detail: `${what}: none fails` };
  const detail = `${what}: ${numbers}, too many to know whether they are the same`;
  return { verdict: 'inconclusive', detail, noted: true };
}

/** A young Node is not judged: only a running CCM takes the taint away, and it needs its time. */
function nodesGetInitialised(
  { nodes: booked }: ObjectBook,
  { nodes, serverTimeMs }: ObjectReading,
): GateVerdict {
  const isLate = ({ createdAtMs }: CloudNodeFacts): boolean =>
    serverTimeMs - createdAtMs > INITIALISED_WITHIN_MS;
  const tainted = nodes.filter(({ uninitialized }) => uninitialized);
  const late = tainted.filter(isLate);
  const gate = (said: Said): GateVerdict => judged('nodesGetInitialised', said);
  if (booked.kind === 'lost') return gate(UNKNOWN_PAST);
  if (booked.kind === 'counted') return gate(sinceCount(booked.count, late.length, 'Nodes'));
  const added = late.filter(({ name }) => wasBooked(booked, name) === false);
  if (added.length === 0) {
    const [all, before] = [String(tainted.length), String(countBooked(booked))];
    const detail = `${all} Nodes with the uninitialized taint, ${before} had it at the start`;
    return gate({ verdict: 'pass', detail });
  }
  const names = namedFew(added.map(({ name }) => `Node ${name}`));
  const detail = `uninitialized for more than 2 min, and not so at the start: ${names}`;
  return gate({ verdict: 'fail', detail });
}
