import { judgeOwnBook } from '../../domain/gates/own/judge-own.js';
import { afterOwnRound, EMPTY_OWN_BOOK, type OwnBook } from '../../domain/gates/own/own-book.js';
import {
  afterCountRound,
  type CountReading,
  isUnbegun,
} from '../../domain/gates/own/own-counts.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import { acknowledgedIn } from '../../domain/gates/watch/add-round.js';
import { EMPTY_BOOK, type GateBook } from '../../domain/gates/watch/gate-book.js';
import type { MetricGatePolicy, OwnCountGate, OwnGauge } from '../../domain/policy.js';
import type { ClusterMetrics } from '../ports.js';
import { setupOf } from './gate-places.js';
import type { GateMemory, Observed, Sampling } from './gate-sampler.js';
import { readOwnCounts, readOwnGauge } from './own-readings.js';
import { RoundSampler } from './round-sampler.js';

/** Asks the cluster's Prometheus for what the operator's own gates are judged on. */
export class OwnSampler extends RoundSampler<OwnBook> {
  private readonly gauges: readonly OwnGauge[];
  private readonly counting: readonly OwnCountGate[];

  constructor(sampling: Sampling, policy: MetricGatePolicy, before: OwnBook = EMPTY_OWN_BOOK) {
    super(sampling, policy, before);
    const { own = [] } = policy;
    this.gauges = own.filter((gate) => gate.kind === 'gauge');
    this.counting = own.filter((gate) => gate.kind !== 'gauge');
  }

  /** A gauge has no window that could begin again: what is beyond its limit still is. */
  accepted(epoch: number, isAccepted: (gate: string) => boolean): void {
    const { counted } = this.current;
    if (counted === undefined) return;
    this.current = { ...this.current, counted: acknowledgedIn(counted, epoch, isAccepted) };
  }

  verdicts(): readonly GateVerdict[] {
    const { clock, ports } = this.sampling;
    const at = { nowMs: clock.nowMs(), source: ports.metrics?.host ?? '' };
    return judgeOwnBook(this.current, this.policy, at);
  }

  book(): GateMemory {
    return { own: this.current };
  }

  isRead(): boolean {
    return this.current.lastAtMs !== null;
  }

  protected async round(seen: Observed, signal: AbortSignal, atMs: number): Promise<void> {
    const { metrics } = this.sampling.ports;
    const [readings, counts] = await Promise.all([
      Promise.all(this.gauges.map((gate) => this.gauge(gate, metrics, signal))),
      Promise.all(this.counting.map((gate) => this.counts(gate, metrics, signal, atMs))),
    ]);
    const at = { atMs, staleAfterMs: metrics?.staleAfterMs ?? 0 };
    // Acceptance may have come meanwhile, so the book is taken now.
    const next = afterOwnRound(this.current, readings, at);
    if (counts.length === 0) {
      this.current = next;
      return;
    }
    const round = { atMs, setup: setupOf(seen.observation, seen.trace) };
    const counted = afterCountRound(this.counted(), counts, round, this.policy);
    this.current = { ...next, counted };
  }

  private counted(): GateBook {
    return this.current.counted ?? EMPTY_BOOK;
  }

  private async gauge(gate: OwnGauge, metrics: ClusterMetrics | undefined, signal: AbortSignal) {
    const nowMs = this.sampling.clock.nowMs();
    const reading = await readOwnGauge(metrics, { gate, signal, nowMs });
    return { gate, reading };
  }

  private async counts(
    gate: OwnCountGate,
    metrics: ClusterMetrics | undefined,
    signal: AbortSignal,
    nowMs: number,
  ): Promise<CountReading> {
    const { log, cluster } = this.sampling;
    return readOwnCounts(metrics, {
      ...{ gate, signal, nowMs, isFirst: isUnbegun(this.counted(), gate) },
      onNoPast: (error) => {
        log.warn('what was usual before is not known', { cluster, gate: gate.name, error });
      },
    });
  }
}
