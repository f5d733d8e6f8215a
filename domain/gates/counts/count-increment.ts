/**
 * What one process counted between two scrapes. Counters are differenced by process, never over processes: a restart begins
 * again at zero.
 */
export interface CountIncrement {
  /** When the later of the two scrapes was made, in milliseconds of Unix time. */
  readonly atMs: number;
  /** Events that were bad, never more than `total`. */
  readonly bad: number;
  readonly total: number;
}
