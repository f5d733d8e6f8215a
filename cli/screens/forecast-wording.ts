import { ENOUGH_MEASURED } from '../../domain/fleet/measured.js';
import { FORECAST_BUDGET_MS, type FleetRest } from '../fleets/forecast-rest.js';
import { clockText } from '../terminal/fleet-wording.js';
import { counted, shownDuration } from '../terminal/wording.js';

/** When a fleet ends, and on what that rests; why it is not known. */
export function forecastText(rest: FleetRest, nowMs: number): string {
  if (rest.kind === 'unknown') return `not known: ${unknownText(rest)}`;
  return `${endText(rest, nowMs)} · ${basisText(rest)}`;
}

type Known = Extract<FleetRest, { kind: 'known' }>;

function endText({ afterPeople, fromMs, p50Ms, p90Ms }: Known, nowMs: number): string {
  if (afterPeople)
    return `${range(shownDuration(p50Ms), shownDuration(p90Ms))} more, once people let it go on`;
  if (fromMs + p90Ms <= nowMs) return 'overdue';
  return `ends ${range(clockText(fromMs + p50Ms, nowMs), clockText(fromMs + p90Ms, nowMs))}`;
}

function range(least: string, most: string): string {
  return least === most ? least : `${least} to ${most}`;
}

function basisText({ changes, soaks, approvals, paused }: Known): string {
  const resumed = paused ? '; it takes paused runs as resumed' : '';
  const approved = `${approvals ? '; approvals come on top' : ''}${resumed}`;
  if (changes < ENOUGH_MEASURED) {
    const few = changes === 0 ? 'no cluster' : `only ${counted(changes, 'cluster')}`;
    return `by the plan, ${few} measured yet${approved}`;
  }
  const soaked = soaks < ENOUGH_MEASURED ? ', soaks as planned' : ` and ${counted(soaks, 'soak')}`;
  return `measured in ${counted(changes, 'change')}${soaked}${approved}`;
}

function unknownText({ why, unfinished }: Extract<FleetRest, { kind: 'unknown' }>): string {
  switch (why) {
    case 'input':
      return 'the server no longer has what this fleet was started with';
    case 'slow':
      return `it would take more than ${FORECAST_BUDGET_MS / 1000} s`;
    case 'unfinished':
      return `${counted(unfinished, 'cluster')} may not end: limits, canaries, windows or deadline do not let them`;
  }
}
