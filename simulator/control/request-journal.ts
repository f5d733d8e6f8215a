/** One request of anyone to a cluster's API, node access or machines API. */
export interface JournalEntry {
  /** Counts from 0, per cluster. */
  readonly index: number;
  /** Simulated time of arrival. */
  readonly atMs: number;
  /** Empty when nobody could be made out. */
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  readonly path: string;
  readonly mutating: boolean;
  /** Status code sent; 0 while nothing was sent, or when the connection was cut. */
  readonly code: number;
  /** Empty when no fault struck. */
  readonly fault: string;
  /** Whether it changed something, whatever the client was told. */
  readonly tookEffect: boolean;
}

export type Arrival = Omit<JournalEntry, 'index' | 'code' | 'fault' | 'tookEffect'>;
export type Outcome = Partial<Pick<JournalEntry, 'code' | 'fault' | 'tookEffect'>>;

const KEPT = 200_000;

/** What was asked of one cluster, in order. The oldest entries go when there are very many. */
export class RequestJournal {
  private entries: JournalEntry[] = [];
  private dropped = 0;

  /** Takes down a request as it arrives; its index is how it is called from then on. */
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

  /** Entries from an index on. */
  since(index: number): readonly JournalEntry[] {
    return this.entries.slice(Math.max(0, index - this.dropped));
  }
}
