import { timeText } from './holders.js';
import type { LivingProcess } from './holders.js';
import { OWNED } from '../../base/truth/truth.js';
import type { OwnerSpan } from './owner-spans.js';

/**
 * From acquiring a Lease until the last loop reports that it runs: up to 12 s seen in a new cluster on two busy
 * cores.
 */
const START_MS = 30_000;
/** Shorter spans may fall between two rounds of samples. */
const LONG_MS = 16_000;

export interface MetricsCheck {
  readonly contradictions: readonly string[];
  /** Of the spans that lasted long enough to be sampled, those that the process's own metrics confirm. */
  readonly confirmed: number;
  readonly unconfirmed: readonly string[];
}

/** Compares each process's own metrics with the ownership derived from locks and process lifetimes. */
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
      return [
        `${who} reported at ${timeText(wrong.toMs)} that it ${says} ${controller}; ${told(own)}`,
      ];
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
    ? 'according to its locks it never did'
    : `according to its locks it did from ${timeText(span.fromMs)} on`;
}

function isConfirmed({ life, controller, fromMs }: OwnerSpan): boolean {
  return life.metrics.some(
    ({ fromMs: askedMs, running }) => askedMs >= fromMs && running.includes(controller),
  );
}

/** A loop that was once reported runs until its process ends. */
function ranBefore({ life, controller }: OwnerSpan, atMs: number): boolean {
  return life.metrics.some(({ toMs, running }) => toMs < atMs && running.includes(controller));
}
