/** How much may still happen, at a time. */
export interface Allowance {
  readonly left: number;
  readonly atMs: number;
}

/** `burst` at once, and `perMinute` more. */
export interface Rate {
  readonly burst: number;
  readonly perMinute: number;
}

/** Takes one, or says that there is none. A clock that is set back gives nothing. */
export function takeOne(
  { burst, perMinute }: Rate,
  before: Allowance | null,
  nowMs: number,
): { readonly taken: boolean; readonly after: Allowance } {
  const elapsedMs = before === null ? 0 : Math.max(0, nowMs - before.atMs);
  const grown = before === null ? burst : before.left + (elapsedMs * perMinute) / 60_000;
  const left = Math.min(burst, grown);
  return left >= 1
    ? { taken: true, after: { left: left - 1, atMs: nowMs } }
    : { taken: false, after: { left, atMs: nowMs } };
}
