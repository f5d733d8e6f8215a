/** Units from the largest on, in seconds; the next one is the smaller that is shown beside it. */
const UNITS = [
  { name: 'd', size: 86_400 },
  { name: 'h', size: 3600 },
  { name: 'min', size: 60 },
  { name: 's', size: 1 },
] as const;

/** Below this tenths are worth reading. */
const TENTHS_BELOW = 60;

/** A time span for people, in its largest fitting unit and the next smaller one: `2.3 s`, `4 min 10 s`, `3 h 12 min`, `7 d`. */
export function shownDuration(ms: number): string {
  const seconds = ms / 1000;
  const tenths = Math.max(0, seconds).toFixed(1);
  if (Number(tenths) < TENTHS_BELOW) return `${tenths} s`;
  const whole = Math.round(seconds);
  const at = UNITS.findIndex(({ size }) => whole >= size);
  const [unit, smaller] = UNITS.slice(at);
  if (unit === undefined || smaller === undefined) return `${String(whole)} s`;
  const rest = Math.floor((whole % unit.size) / smaller.size);
  const large = `${String(Math.floor(whole / unit.size))} ${unit.name}`;
  return rest === 0 ? large : `${large} ${String(rest)} ${smaller.name}`;
}
