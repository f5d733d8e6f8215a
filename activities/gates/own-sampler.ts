import { ownSampleIn, gaugeQuery } from '../../domain/gates/own/gauge-query.js';
import { judgeOwnBook } from '../../domain/gates/own/judge-own.js';
import {
  afterOwnRound,
  EMPTY_OWN_BOOK,
  type OwnBook,
  type OwnReading,
} from '../../domain/gates/own/own-book.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { MetricGatePolicy, OwnGate } from '../../domain/policy.js';
import { failureTypeOf, plainMessage } from '../failures.js';
import type { ClusterMetrics } from '../ports.js';
import type { GateMemory, Observed, Sampling } from './gate-sampler.js';
import { RoundSampler } from './round-sampler.js';

/** Asks the cluster's Prometheus for what the operator's own gates are judged on. */
export class OwnSampler extends RoundSampler<OwnBook> {
  constructor(sampling: Sampling, policy: MetricGatePolicy, before: OwnBook = EMPTY_OWN_BOOK) {
    super(sampling, policy, before);
  }

  /** A gauge has no window that could begin again: what is beyond its limit still is. */
  accepted(): void {
    return;
  }

  verdicts(): readonly GateVerdict[] {
    const { clock, ports } = this.sampling;
    const at = { nowMs: clock.nowMs(), source: ports.metrics?.host ?? '' };
    return judgeOwnBook(this.current, this.policy, at);
  }

  book(): GateMemory {
    return { own: this.current };
  }

  protected isRead(): boolean {
    return this.current.lastAtMs !== null;
  }

  protected async round(_seen: Observed, signal: AbortSignal, atMs: number): Promise<void> {
    const { own = [] } = this.policy;
    const { metrics } = this.sampling.ports;
    const readings = await Promise.all(
      own.map(async (gate) => ({
        gate,
        reading: metrics === undefined ? NO_SOURCE : await this.read(gate, metrics, signal),
      })),
    );
    const at = { atMs, staleAfterMs: metrics?.staleAfterMs ?? 0 };
    this.current = afterOwnRound(this.current, readings, at);
  }

  private async read(
    gate: OwnGate,
    metrics: ClusterMetrics,
    signal: AbortSignal,
  ): Promise<OwnReading> {
    const { labels, staleAfterMs } = metrics;
    try {
      const answer = await metrics.own({ promql: gaugeQuery(gate, labels) }, signal);
      const nowMs = answer.serverTimeMs ?? this.sampling.clock.nowMs();
      return ownSampleIn(answer.series, { nowMs, staleAfterMs });
    } catch (error) {
      if (failureTypeOf(error) === null) throw error;
      return { kind: 'unanswered', why: plainMessage(error) };
    }
  }
}

const NO_SOURCE: OwnReading = {
  kind: 'unmeasured',
  why: 'the inventory of this worker names no Prometheus for this cluster (metrics.prometheus)',
};
