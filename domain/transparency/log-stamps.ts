/** When something was: for people (ISO 8601 UTC), and in whole seconds since 1970, fractions dropped; NaN where it is unknown. */
export interface UtcTime {
  readonly at: string;
  readonly seconds: number;
}

/** What authorities outside (RFC 3161) have said of a log: so many of its entries were there by then. */
export interface LogStamps {
  /** When each was made, by the number of entries that the log had. */
  readonly made: ReadonlyMap<number, UtcTime>;
  /** A later one proves nothing of an event: one who rewrites a past can have it stamped, but only now. */
  readonly withinSeconds: number;
}

/** The size of the log at the first timestamp over the entry at this place, counted from 0; null where none is over it. */
export function stampedSize(place: number, sizes: Iterable<number>): number | null {
  let first = Infinity;
  for (const size of sizes) if (size > place && size < first) first = size;
  return first === Infinity ? null : first;
}

/** How far an execution is proven, from its first event on. */
export interface ProvenPrefix {
  readonly events: number;
  /** When the last of them was known outside (ISO 8601 UTC); empty where none was. */
  readonly by: string;
}

/** An execution, and when entries of the log that speak of it were stamped. */
export interface StampedExecution {
  /** When each of its events was, as the history says. */
  readonly times: readonly UtcTime[];
  /** Of how many events an entry speaks; in the order of the log. */
  readonly stamped: readonly { readonly events: number; readonly stamp: UtcTime }[];
  readonly withinSeconds: number;
}

/** Goes on from what is proven for as long as each event was stamped soon after it happened. */
export function timelyPrefix(
  before: ProvenPrefix,
  { times, stamped, withinSeconds }: StampedExecution,
): ProvenPrefix & { readonly late: boolean } {
  const rising = [...stamped].sort((a, b) => a.events - b.events);
  let [proven, next] = [before, 0];
  for (const { seconds } of times.slice(before.events)) {
    while ((rising[next]?.events ?? Infinity) <= proven.events) next += 1;
    const stamp = rising[next]?.stamp;
    if (stamp === undefined) return { ...proven, late: false };
    // What is unknown is not a number, and never on time.
    if (!(stamp.seconds - seconds <= withinSeconds)) return { ...proven, late: true };
    proven = { events: proven.events + 1, by: stamp.at };
  }
  return { ...proven, late: false };
}
