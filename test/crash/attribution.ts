import { USER_AGENTS } from '../../config/names.js';
import type {
  EvidenceIntent,
  EvidenceOutcome,
  EvidenceRecord,
} from '../../domain/evidence/record.js';
import type { JournalEntry } from '../../testbed/simulator/control/request-journal.js';

/**
 * A mutating request of the worker beside its evidence. `kept` means that evidence is kept of it. The rest is upkeep of the fence, which
 * changes nothing but itself: renewals by the guard, and the hint how often it needs them.
 */
export interface Attributed {
  readonly entry: JournalEntry;
  readonly kind: 'kept' | 'renewal' | 'hint';
  readonly intent: EvidenceIntent | null;
  readonly outcome: EvidenceOutcome | null;
}

export interface Attribution {
  readonly requests: readonly Attributed[];
  /** Intents whose request never left: their worker died between the two. */
  readonly unsent: readonly Recorded[];
}

export interface Recorded {
  readonly intent: EvidenceIntent;
  readonly outcome: EvidenceOutcome | null;
}

const FENCE_LEASE = '/namespaces/kube-system/leases/ccm-migrate';

/** Matches the journal's mutating requests to the records, in order. */
export function attribute(
  journal: readonly JournalEntry[],
  records: readonly EvidenceRecord[],
): Attribution {
  const waiting = new Map<string, Recorded[]>();
  for (const recorded of recordedOf(records)) {
    const key = intentKey(recorded.intent);
    waiting.set(key, [...(waiting.get(key) ?? []), recorded]);
  }
  const requests = journal.filter(isOurs).map((entry): Attributed => {
    const kind = kindOf(entry);
    const mine = kind === 'kept' ? takeFitting(waiting.get(requestKey(entry)), entry) : null;
    return { entry, kind, intent: mine?.intent ?? null, outcome: mine?.outcome ?? null };
  });
  return { requests, unsent: [...waiting.values()].flat() };
}

function isOurs({ mutating, userAgent }: JournalEntry): boolean {
  return mutating && userAgent.startsWith(USER_AGENTS.steps);
}

function kindOf({ userAgent, verb, path }: JournalEntry): Attributed['kind'] {
  if (verb !== 'patch' || !path.includes(FENCE_LEASE)) return 'kept';
  return userAgent === USER_AGENTS.guard ? 'renewal' : 'hint';
}

/** The first intent for this object that agrees with what happened; an intent that was never sent is skipped. */
function takeFitting(
  waiting: Recorded[] | undefined,
  { tookEffect }: JournalEntry,
): Recorded | null {
  if (waiting === undefined) return null;
  const fitting = waiting.findIndex(
    ({ outcome }) => outcome === null || isPositive(outcome) === tookEffect,
  );
  return waiting.splice(Math.max(fitting, 0), 1)[0] ?? null;
}

export function isPositive({ kind }: EvidenceOutcome): boolean {
  return kind === 'applied' || kind === 'foundApplied';
}

function recordedOf(records: readonly EvidenceRecord[]): readonly Recorded[] {
  const outcomes = new Map(
    records.flatMap(({ entry }) =>
      entry.kind === 'outcome' ? [[entry.intentId, entry.outcome] as const] : [],
    ),
  );
  return records.flatMap(({ entry }) =>
    entry.kind === 'intent'
      ? [{ intent: entry.intent, outcome: outcomes.get(entry.intent.id) ?? null }]
      : [],
  );
}

const DROPS: readonly string[] = ['takeAway', 'removeFile'];

/** Verb and object, spelled the same for a request and for its intent. */
function intentKey({ verb, object }: EvidenceIntent): string {
  if (/^[^\s:]+:\//.test(object)) return `${DROPS.includes(verb) ? 'drop' : verb} ${object}`;
  const [, kind = '', namespace = '', name = ''] =
    /^(\w+) (?:([^\s/]+)\/)?([^\s/]+)$/.exec(object) ?? [];
  if (kind === 'Machine' || kind === 'Kubelet') return `${verb} ${name}`;
  if (kind === 'Process') return `${verb} ${namespace}`;
  return `${verb} ${kind.toLowerCase()}s ${namespace}/${name}`;
}

const MACHINE_VERBS = new Map([
  ['update', 'addMachine'],
  ['delete', 'removeMachine'],
]);

export function requestKey({ verb, resource, name, path }: JournalEntry): string {
  if (resource === 'node-access/files') {
    return `${verb === 'delete' ? 'drop' : 'writeFile'} ${name}:${filePath(path)}`;
  }
  if (resource === 'machines') return `${MACHINE_VERBS.get(verb) ?? verb} ${name}`;
  if (resource === 'node-access/kill') return `endProcess ${name}`;
  if (resource === 'node-access/kubelet') return `restartKubelet ${name}`;
  const namespace = /\/namespaces\/([^/?]+)\//.exec(path)?.[1] ?? '';
  if (resource === 'pods/eviction') return `evict pods ${namespace}/${name}`;
  return `${verb} ${resource} ${namespace}/${name}`;
}

/** The file that a request to a node is about. */
export function filePath(path: string): string {
  return new URL(path, 'https://simulator.invalid').searchParams.get('path') ?? '';
}
