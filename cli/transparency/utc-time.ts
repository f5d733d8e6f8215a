import type { UtcTime } from '../../domain/transparency/log-stamps.js';

const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;

/** A time as histories and timestamps say it: ISO 8601 UTC. What is none has no number, also a 31st of February. */
export function utcTimeOf(at: string): UtcTime {
  const whole = TIME.exec(at)?.[1] ?? '';
  const ms = Date.parse(`${whole}Z`);
  const isTime = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(whole);
  return { at, seconds: isTime ? ms / 1000 : NaN };
}
