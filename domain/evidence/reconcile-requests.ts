import { intentOutcomes } from './intent-outcomes.js';
import type { EvidenceRecord } from './record.js';

/** A request of ours to an API server that would change something, as the server's audit log has it. */
export interface ApiWrite {
  readonly atMs: number;
  readonly verb: string;
  /** As objects of the API are named in paths: `roles kube-system/name`, `nodes name`. */
  readonly object: string;
  /** The server carried it out. */
  readonly succeeded: boolean;
}

/** The evidence of a run, and when it took place, in epoch ms; `toMs` is infinite while it is open. */
export interface ReconciledRun {
  readonly fromMs: number;
  readonly toMs: number;
  readonly records: readonly Pick<EvidenceRecord, 'entry'>[];
}

export interface Reconciliation {
  readonly faults: readonly string[];
  /** Requests that were carried out and are on record. */
  readonly matched: number;
  /** Writes of the fence by a run in its time: so many that none is recorded. */
  readonly renewals: number;
  readonly refused: number;
}

/** The Lease that runs renew while they go on. */
const FENCE_OBJECT = 'leases kube-system/ccm-migrate';
/** Clocks of workers and of the API server differ by so much. */
const SKEW_MS = 60_000;

/**
 * Compares what an API server carried out for us with what is on record: each such request has one intent, each intent that took effect has its request, and
 * a refused request was at least intended. Writes of the fence are many, and belong to a run that was going on.
 */
export function reconcileRequests(
  writes: readonly ApiWrite[],
  runs: readonly ReconciledRun[],
): Reconciliation {
  const intended = intentsOf(runs);
  const done = counted(writes.filter(({ succeeded }) => succeeded).map(keyOf));
  const refused = writes.filter(({ succeeded }) => !succeeded);
  const keys = [...new Set([...done.keys(), ...intended.keys()])].sort();
  const known = keys.filter((key) => !isFence(key));
  const matched = known.map((key) =>
    Math.min(done.get(key) ?? 0, intended.get(key)?.possible ?? 0),
  );
  const ofFence = writes.filter((write) => write.succeeded && isFence(keyOf(write)));
  return {
    faults: [
      ...keys.flatMap((key) => keyFaults(key, done.get(key) ?? 0, intended.get(key) ?? NONE)),
      ...strayFence(ofFence, runs),
      ...[...new Set(refused.map(keyOf))]
        .filter((key) => !intended.has(key) && !isFence(key))
        .map((key) => `${key} was refused, and is not on record`),
    ],
    matched: matched.reduce((sum, each) => sum + each, 0),
    renewals: ofFence.length,
    refused: refused.length,
  };
}

interface Intended {
  /** Intents that may have been carried out: all but those that were refused. */
  readonly possible: number;
  /** Those that certainly were. */
  readonly certain: number;
}

const NONE: Intended = { possible: 0, certain: 0 };

function keyFaults(key: string, done: number, { possible, certain }: Intended): readonly string[] {
  if (done > possible && !isFence(key)) {
    return [`${key} was carried out ${times(done)}, and is on record ${times(possible)}`];
  }
  return certain > done
    ? [`${key} is on record ${times(certain)}, and was carried out ${times(done)}`]
    : [];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${String(count)} times`;
}

function strayFence(
  writes: readonly ApiWrite[],
  runs: readonly ReconciledRun[],
): readonly string[] {
  const stray = strayTimes(
    writes.map(({ atMs }) => atMs),
    runs,
  );
  return stray === 0
    ? []
    : [`${FENCE_OBJECT} was written ${times(stray)} while no run on record went on`];
}

/** How many times lie in no run. Renewals are many, and so are runs: both are passed once, in order. */
function strayTimes(times: readonly number[], runs: readonly ReconciledRun[]): number {
  const begun = [...runs].sort((a, b) => a.fromMs - b.fromMs);
  let [next, until] = [0, -Infinity];
  return [...times]
    .sort((a, b) => a - b)
    .filter((atMs) => {
      for (let run = begun[next]; isBegunBy(run, atMs); run = begun[next]) {
        until = Math.max(until, run.toMs);
        next += 1;
      }
      return atMs > until + SKEW_MS;
    }).length;
}

function isBegunBy(run: ReconciledRun | undefined, atMs: number): run is ReconciledRun {
  return run !== undefined && run.fromMs - SKEW_MS <= atMs;
}

function intentsOf(runs: readonly ReconciledRun[]): ReadonlyMap<string, Intended> {
  const found = new Map<string, Intended>();
  for (const { records } of runs) {
    const outcomes = intentOutcomes(records);
    for (const { entry } of records) {
      if (entry.kind !== 'intent') continue;
      const key = intentKey(entry.intent);
      if (key === null) continue;
      const outcome = outcomes.get(entry.intent.id);
      const { possible, certain } = found.get(key) ?? NONE;
      found.set(key, {
        possible: possible + (outcome === 'refused' ? 0 : 1),
        certain: certain + (outcome === 'applied' ? 1 : 0),
      });
    }
  }
  return found;
}

/** An eviction is created below its Pod. Null for what no API server sees: files, processes and machines. */
function intentKey({
  verb,
  object,
}: {
  readonly verb: string;
  readonly object: string;
}): string | null {
  const space = object.indexOf(' ');
  const [kind, name] = [object.slice(0, space), object.slice(space + 1)] as const;
  switch (verb) {
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return `${verb} ${resourceOf(kind)} ${name}`;
    case 'evict':
      return `create pods/eviction ${name}`;
    default:
      return null;
  }
}

/** As the API names a kind that we write: none of them has another plural. */
function resourceOf(kind: string): string {
  return `${kind.toLowerCase()}s`;
}

function keyOf({ verb, object }: ApiWrite): string {
  return `${verb} ${object}`;
}

function isFence(key: string): boolean {
  return key.endsWith(` ${FENCE_OBJECT}`);
}

function counted(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
