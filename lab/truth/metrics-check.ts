import { timeText } from './holders.js';
import type { LivingProcess } from './holders.js';
import { OWNED } from './loops-of-process.js';
import type { OwnerSpan } from './owner-spans.js';

/** From the moment a Lease is taken until the last loop says that it runs: seen 12 s in a new cluster on two busy cores. */
const START_MS = 30_000;
/** Shorter ones may pass between two rounds of questions. */
const LONG_MS = 16_000;

export interface MetricsCheck {
  readonly contradictions: readonly string[];
  /** Spans that the process's own metrics confirm, of those that lasted long enough to be asked. */
  readonly confirmed: number;
  readonly unconfirmed: readonly string[];
}

/** What each process said of itself against what locks and lives tell. */
export function checkMetrics(
  processes: readonly LivingProcess[],
  spans: readonly OwnerSpan[],
  nowMs: number,
): MetricsCheck {
  const contradictions = processes.flatMap(({ life }) =>
    OWNED.flatMap((controller) => {
      const own = spans.find((span) => span.life.id === life.id && span.controller === controller);
      const wrong = life.metrics.find(({ fromMs, toMs, running }) =>
        running.includes(controller)
          ? own === undefined || toMs < own.fromMs
          : own !== undefined && (fromMs > own.fromMs + START_MS || ranBefore(own, fromMs)),
      );
      if (wrong === undefined) return [];
      const says = wrong.running.includes(controller) ? 'runs' : 'does not run';
      const who = `${life.manager} of ${life.node} (process ${life.pid})`;
      return [`${who} said at ${timeText(wrong.toMs)} that it ${says} ${controller}; ${told(own)}`];
    }),
  );
  const long = spans.filter(({ fromMs, toMs }) => (toMs ?? nowMs) - fromMs > LONG_MS);
  const unconfirmed = long.filter((span) => !isConfirmed(span));
  return {
    contradictions,
    confirmed: long.length - unconfirmed.length,
    unconfirmed: unconfirmed.map(({ owner, controller }) => `${owner} ${controller}`),
  };
}

function told(span: OwnerSpan | undefined): string {
  return span === undefined
    ? 'by its locks it never did'
    : `by its locks it did from ${timeText(span.fromMs)} on`;
}

function isConfirmed({ life, controller, fromMs }: OwnerSpan): boolean {
  return life.metrics.some(
    ({ fromMs: askedMs, running }) => askedMs >= fromMs && running.includes(controller),
  );
}

/** What it once ran it runs to its end. */
function ranBefore({ life, controller }: OwnerSpan, atMs: number): boolean {
  return life.metrics.some(({ toMs, running }) => toMs < atMs && running.includes(controller));
}
