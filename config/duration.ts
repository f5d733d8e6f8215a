import { z } from 'zod';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const PATTERN = /^(?:\d+(?:ms|s|m|h))+$/;

/** Milliseconds of a written duration such as `30m`, `1h30m` or `500ms`; null when the text is not a duration. */
export function parseDuration(written: string): number | null {
  if (!PATTERN.test(written)) return null;
  let total = 0;
  for (const [, amount, unit] of written.matchAll(/(\d+)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  }
  return Number.isSafeInteger(total) ? total : null;
}

/** Milliseconds of a duration that a schema has already accepted. */
export function durationMs(validated: string): number {
  const ms = parseDuration(validated);
  if (ms === null) throw new Error(`"${validated}" passed the schema and is no duration`);
  return ms;
}

/** A duration with its unit, between two bounds; its purpose is shown in the published schema. */
export function duration(atLeast: string, atMost: string, purpose: string) {
  const [lowest, highest] = [durationMs(atLeast), durationMs(atMost)];
  return z
    .string()
    .regex(PATTERN, 'write a duration with its unit, for example 30m, 90s or 500ms')
    .refine((written) => within(parseDuration(written), lowest, highest), {
      message: `must be between ${atLeast} and ${atMost}`,
    })
    .meta({ description: `${purpose} Between ${atLeast} and ${atMost}.` });
}

/** A text that is not a duration is reported by the pattern, not by the bounds. */
function within(ms: number | null, lowest: number, highest: number): boolean {
  return ms === null || (ms >= lowest && ms <= highest);
}
