/** One request by any client to a cluster's API, node access or machines API. */
export interface JournalEntry {
  /** Per cluster, from 0. */
  readonly index: number;
  /** Simulated time of arrival. */
  readonly atMs: number;
  /** Empty when the client was not authenticated. */
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  readonly path: string;
  readonly mutating: boolean;
  /** Status code sent; 0 before the response, or when the connection was cut. */
  readonly code: number;
  /** Empty when no fault was injected. */
  readonly fault: string;
  /** Whether it changed something, whatever the client received. */
  readonly tookEffect: boolean;
}

export type Arrival = Omit<JournalEntry, 'index' | 'code' | 'fault' | 'tookEffect'>;
export type Outcome = Partial<Pick<JournalEntry, 'code' | 'fault' | 'tookEffect'>>;

const KEPT = 200_000;

/** All requests to one cluster, in order. The oldest entries are dropped beyond a limit. */
export class RequestJournal {
  private entries: JournalEntry[] = [];
  private dropped = 0;

  /** Records a request on arrival and returns its index. */
  add(arrival: Arrival): number {
    const index = this.dropped + this.entries.length;
    this.entries.push({ index, ...arrival, code: 0, fault: '', tookEffect: false });
    if (this.entries.length > KEPT * 2) {
      this.dropped += KEPT;
      this.entries = this.entries.slice(KEPT);
    }
    return index;
  }

  settle(index: number, outcome: Outcome): void {
    const entry = this.entries[index - this.dropped];
    if (entry !== undefined) this.entries[index - this.dropped] = { ...entry, ...outcome };
  }

  /** Entries with this index or later. */
  since(index: number): readonly JournalEntry[] {
    return this.entries.slice(Math.max(0, index - this.dropped));
  }
}
