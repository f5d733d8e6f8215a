/** A fact that holds from one Kubernetes minor (1.x) to another, both inclusive, with its source. */
export interface MinorRow<T> {
  readonly from: number;
  /** Absent: still true in the newest minor examined (1.36). */
  readonly to?: number;
  readonly value: T;
  readonly source: string;
}

/** The value for a minor; a minor outside of the table is the caller's error and is not guessed. */
export function valueFor<T>(rows: readonly MinorRow<T>[], minor: number): T {
  const row = rows.find((each) => minor >= each.from && minor <= (each.to ?? 99));
  if (row === undefined)
    throw new Error(`The simulator knows nothing about Kubernetes 1.${String(minor)}.`);
  return row.value;
}

/** Minor of a version like `1.30.14` or `v1.30.14-gke.1`; undefined when it does not start like one. */
export function minorNumber(version: string): number | undefined {
  const found = /^v?1\.(\d+)/.exec(version);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
