/** One promise about a run, and whether it was kept. A figure that is missing keeps none. */
export interface Bar {
  readonly said: string;
  readonly holds: boolean;
}

type Measured = number | null | undefined;

export function atMost(what: string, measured: Measured, limit: number): Bar {
  const holds = isNumber(measured) && measured <= limit;
  return { said: `${what}: ${numberText(measured)} of at most ${numberText(limit)}`, holds };
}

export function atLeast(what: string, measured: Measured, limit: number): Bar {
  const holds = isNumber(measured) && measured >= limit;
  return { said: `${what}: ${numberText(measured)} of at least ${numberText(limit)}`, holds };
}

export function exactly(what: string, measured: Measured, wanted: number | null): Bar {
  const holds = isNumber(measured) && measured === wanted;
  return { said: `${what}: ${numberText(measured)}, should be ${numberText(wanted)}`, holds };
}

function isNumber(measured: Measured): measured is number {
  return typeof measured === 'number' && Number.isFinite(measured);
}

function numberText(value: Measured): string {
  if (!isNumber(value)) return 'unknown';
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
