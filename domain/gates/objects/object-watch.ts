import type { OwnershipTrace } from '../../ownership/ownership-trace.js';
import type { Manager } from '../../vocabulary.js';
import { CLOCK_TOLERANCE_MS } from '../samples/difference-counters.js';
import type { Measurement } from '../samples/measurement.js';
import { unmeasured } from '../samples/measurement.js';
import type { GateVerdict } from '../verdicts.js';
import { judgeObjects } from './judge-objects.js';
import { beginObjects, LOST_OBJECTS, type ObjectBook } from './object-book.js';
import type { ObjectReading } from './object-reading.js';

/** All that a guard remembers of a cluster's objects: plain JSON, part of its heartbeat. */
export interface ObjectWatch {
  /** Null until a reading succeeded. */
  readonly book: ObjectBook | null;
  /** The last manager that alone ran the cloud controllers, and when it was last seen to, by the API server's clock. */
  readonly owner: { readonly manager: Manager; readonly seenAtMs: number } | null;
  /** When another manager became the only owner, epoch ms by the API server's clock; null while none did. */
  readonly handoverAtMs: number | null;
  /** Another manager may have become it before, and that is not known any more. */
  readonly isOwnerLost?: true;
  /** That owner has proven that it sees the cloud: its Events expire, the proof does not. */
  readonly sight: GateVerdict | null;
  /** The worker's clock at the last reading that succeeded, epoch ms, and what the gates said then. */
  readonly readAtMs: number | null;
  readonly verdicts: readonly GateVerdict[];
  /** Why the last reading failed; empty when it did not. */
  readonly why: string;
}

export const EMPTY_WATCH: ObjectWatch = {
  ...{ book: null, owner: null, handoverAtMs: null, sight: null },
  ...{ readAtMs: null, verdicts: [], why: '' },
};

/** What is left of a watch where a run may have written: the first reading is not how things were before. */
export function watchWithoutPast(watch: ObjectWatch = EMPTY_WATCH): ObjectWatch {
  const lost = { ...watch, book: LOST_OBJECTS };
  return watch.owner === null ? { ...lost, isOwnerLost: true } : lost;
}

/** The elections of one observation. */
export interface SeenOwner {
  /** Null where it is unknown, none, or not the same for all controllers. */
  readonly manager: Manager | null;
  /** When its Lease was acquired, by the clock of its node; null where that is unknown. */
  readonly acquiredAtMs: number | null;
  /** The API server's clock, epoch ms. */
  readonly serverTimeMs: number;
}

/** The manager that alone runs all migrated controllers, in one of its processes or in several. */
export function singleManager({ controllers }: OwnershipTrace): Manager | null {
  const owners = controllers.map((each) => each.owners ?? []);
  const managers = new Set(owners.flat().map((key) => key.split(':')[0]));
  if (managers.size !== 1 || owners.some((each) => each.length === 0)) return null;
  return managers.has('kcm') ? 'kcm' : managers.has('ccm') ? 'ccm' : null;
}

/**
 * The watch after an observation of the elections. Another manager than before is a handover: at the time of its Lease where
 * that is credible, otherwise now, which can only overlook a proof of sight, not take one of the old owner for its own.
 */
export function afterOwner(
  watch: ObjectWatch,
  { manager, acquiredAtMs, serverTimeMs }: SeenOwner,
): ObjectWatch {
  if (manager === null) return watch;
  const owner = { manager, seenAtMs: serverTimeMs };
  const before = watch.owner;
  if (before === null || before.manager === manager) return { ...watch, owner };
  const isCredible =
    acquiredAtMs !== null && acquiredAtMs >= before.seenAtMs && acquiredAtMs <= serverTimeMs;
  const handoverAtMs = isCredible ? acquiredAtMs : serverTimeMs;
  return { ...watch, owner, handoverAtMs, sight: null };
}

/** Whether the next reading must have the successes of all objects, too. */
export function needsSuccesses({ book, handoverAtMs, sight }: ObjectWatch): boolean {
  return book === null || (handoverAtMs !== null && sight === null);
}

/**
 * The watch after a reading: the first that succeeds begins the book, and nothing begins it again. An object passes once it works;
 * what fails for another reason is skipped by name.
 */
export function afterReading(
  watch: ObjectWatch,
  reading: Measurement<ObjectReading>,
  atMs: number,
): ObjectWatch {
  if (reading.kind === 'unmeasured') return { ...watch, why: reading.why };
  const book = watch.book ?? beginObjects(reading.value);
  const judged = judgeObjects(book, reading, watch);
  const seen = judged.find(({ gate, verdict }) => gate === 'cloudSight' && verdict === 'pass');
  const sight = watch.sight ?? seen ?? null;
  const verdicts = judged.map((each) =>
    each.gate === 'cloudSight' && sight !== null ? sight : each,
  );
  return { ...watch, book, sight, readAtMs: atMs, verdicts, why: '' };
}

/** Of a policy of gates on metrics. */
export interface ObjectJudgement {
  readonly except: readonly string[];
  readonly unmeasuredMs: number;
  readonly quiet: 'note' | 'hold';
}

/** What the gates say now. A reading counts for `unmeasuredMs`; then each gate says why there is no newer one. */
export function judgeObjectWatch(
  watch: ObjectWatch,
  { except, unmeasuredMs, quiet }: ObjectJudgement,
  nowMs: number,
): readonly GateVerdict[] {
  return latestVerdicts(watch, unmeasuredMs, nowMs)
    .filter(({ gate }) => !except.includes(gate))
    .map(({ noted, ...each }) => (noted === true && quiet === 'note' ? { ...each, noted } : each));
}

function latestVerdicts(
  watch: ObjectWatch,
  unmeasuredMs: number,
  nowMs: number,
): readonly GateVerdict[] {
  const { book, readAtMs, verdicts, why } = watch;
  const agoMs = readAtMs === null ? Infinity : nowMs - readAtMs;
  // Another worker made the reading, whose clock is ahead: it would count for too long.
  const isAhead = agoMs < -CLOCK_TOLERANCE_MS;
  if (agoMs <= unmeasuredMs && !isAhead) return verdicts;
  const unread = isAhead ? AHEAD : 'Services, Nodes and Events have not been read';
  const since = why === '' ? unread : why;
  return judgeObjects(book ?? NO_BOOK, unmeasured(since), watch);
}

const AHEAD = 'Services, Nodes and Events were read in the future: compare the clocks';

const NOTHING = { kind: 'listed', marks: [] } as const;
const NO_BOOK: ObjectBook = { services: NOTHING, routes: NOTHING, nodes: NOTHING };
