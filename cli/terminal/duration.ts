/** Units from the largest on, in seconds. */
const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/**
 * A time span for people, in its largest fitting unit and the next smaller one: `2.3 s`, `42 s`, `4 min 10 s`,
 * `3 h 12 min`, `7 d`. What is shown is never more than the span but for rounding of tenths.
 */
export function shownDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${String(Math.floor(seconds + 0.05))} s`;
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? UNITS[2];
  const [smaller, part] = smallerThan(unit);
  const whole = Math.floor(seconds / size);
  const rest = Math.floor((seconds - whole * size) / part);
  return rest === 0
    ? `${String(whole)} ${unit}`
    : `${String(whole)} ${unit} ${String(rest)} ${smaller}`;
}

function smallerThan(unit: (typeof UNITS)[number][0]): readonly [string, number] {
  const at = UNITS.findIndex(([name]) => name === unit);
  return UNITS[at + 1] ?? ['s', 1];
}
