/** A duration for people, to the second: `12 s`. */
export function wholeSeconds(ms: number): string {
  return `${String(Math.round(ms / 1000))} s`;
}
