/** The known name that `written` most likely means; null when none is close. */
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

/** Levenshtein distance: letters to insert, drop or change. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(a).entries()) {
    const row = [index + 1];
    for (const [column, other] of Array.from(b).entries()) {
      row.push(
        Math.min(
          (above[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + 1,
          (above[column] ?? 0) + (letter === other ? 0 : 1),
        ),
      );
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
