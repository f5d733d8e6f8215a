/** The known name that `written` was most likely meant to be; null when none is close. */
export function nearestName(written: string, known: readonly string[]): string | null {
  let best: { name: string; distance: number } | null = null;
  for (const name of known) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase());
    if (best === null || distance < best.distance) best = { name, distance };
  }
  if (best === null) return null;
  return best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : null;
}

/** `, did you mean "x"?`, or nothing. */
export function didYouMean(written: string, known: readonly string[]): string {
  const name = nearestName(written, known);
  return name === null ? '' : `, did you mean "${name}"?`;
}

/** Levenshtein distance with neighbours swapped counted once. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) row.push(cell(rows, row, a, b, i, j));
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

function cell(rows: number[][], row: number[], a: string, b: string, i: number, j: number): number {
  const cost = a[i - 1] === b[j - 1] ? 0 : 1;
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return Math.min(
    (rows[i - 1]?.[j] ?? 0) + 1,
    (row[j - 1] ?? 0) + 1,
    (rows[i - 1]?.[j - 1] ?? 0) + cost,
    swapped ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
  );
}
