import type { CloudJournalLine } from '../../../../testbed/lab/cloud/cloud-call.js';

/**
 * Violations in a journal of the cloud: two processes that change one thing at the same time, and things that were made or deleted twice,
 * or recreated. Calls that change nothing are legitimate: a new owner ensures everything once more.
 */
export function journalComplaints(journal: readonly CloudJournalLine[]): readonly string[] {
  const things = new Map<string, CloudJournalLine[]>();
  for (const entry of journal) {
    const thing = thingOf(entry);
    if (thing !== null) things.set(thing, [...(things.get(thing) ?? []), entry]);
  }
  return [...things].flatMap(([thing, calls]) => [
    ...meetings(calls).map((words) => `${thing}: ${words}`),
    ...lifeComplaints(calls).map((words) => `${thing}: ${words}`),
  ]);
}

/** What a call changes. No name of a Service or Node is used twice here; null for a call that only reads. */
function thingOf({ op, args }: CloudJournalLine): string | null {
  if (REMOVALS.has(op) || op === 'EnsureLoadBalancer' || op === 'UpdateLoadBalancer') {
    const { service } = args;
    if (service !== undefined) return `Service ${service}`;
  }
  return op === 'CreateRoute' || op === 'DeleteRoute'
    ? `route of ${args['node'] ?? ''} to ${args['destination'] ?? ''}`
    : null;
}

const REMOVALS: ReadonlySet<string> = new Set(['EnsureLoadBalancerDeleted', 'DeleteRoute']);
const CREATIONS: ReadonlySet<string> = new Set(['EnsureLoadBalancer', 'CreateRoute']);

/** Calls of different processes about one thing that overlap in time. */
function meetings(calls: readonly CloudJournalLine[]): readonly string[] {
  const sorted = [...calls].sort((one, other) => one.startMs - other.startMs);
  return sorted.flatMap((one, index) =>
    sorted
      .slice(index + 1)
      .filter((other) => other.process !== one.process && other.startMs < one.endMs)
      .map((other) => `${who(one)} and ${who(other)} at the same time`),
  );
}

function who({ component, node, op, process }: CloudJournalLine): string {
  return `${op} by ${component} of ${node} (${process})`;
}

/** Deleted once and not recreated. */
function lifeComplaints(calls: readonly CloudJournalLine[]): readonly string[] {
  const inOrder = [...calls].sort((one, other) => one.endMs - other.endMs);
  const removals = inOrder.filter(({ op, changed }) => REMOVALS.has(op) && changed);
  const [first] = removals;
  if (first === undefined) return [];
  const after = inOrder.slice(inOrder.indexOf(first) + 1);
  return [
    ...(removals.length > 1 ? [`taken away ${String(removals.length)} times`] : []),
    ...after
      .filter(({ op, changed }) => CREATIONS.has(op) && changed)
      .map((entry) => `brought back: ${who(entry)}`),
  ];
}

/** What exists at the cloud compared with what should exist according to the API server. */
export function differences(
  what: string,
  shall: Iterable<string>,
  is: Iterable<string>,
): readonly string[] {
  const [wanted, found] = [new Set(shall), new Set(is)];
  return [
    ...[...wanted].filter((one) => !found.has(one)).map((one) => `${what} ${one} is not there`),
    ...[...found].filter((one) => !wanted.has(one)).map((one) => `${what} ${one} was left behind`),
  ];
}
