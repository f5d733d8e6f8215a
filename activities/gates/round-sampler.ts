import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { MetricGatePolicy } from '../../domain/policy.js';
import type { GateMemory, GateSampler, Observed, Sampling } from './gate-sampler.js';
import { SamplerRounds } from './sampler-rounds.js';

/** A sampler of one kind of readings, with the book that they add to. */
export abstract class RoundSampler<Book> implements GateSampler {
  protected readonly sampling: Sampling;
  protected readonly policy: MetricGatePolicy;
  protected readonly rounds: SamplerRounds;
  protected current: Book;

  protected constructor(sampling: Sampling, policy: MetricGatePolicy, before: Book) {
    this.sampling = sampling;
    this.policy = policy;
    this.rounds = new SamplerRounds(sampling);
    this.current = before;
  }

  async observed(seen: Observed): Promise<void> {
    const running = this.rounds.next({
      everyMs: this.policy.everyMs,
      round: (signal, atMs) => this.round(seen, signal, atMs),
      verdicts: () => this.verdicts(),
    });
    if (!this.isRead()) await running;
  }

  abstract accepted(epoch: number, isAccepted: (gate: string) => boolean): void;
  abstract verdicts(): readonly GateVerdict[];
  abstract book(): GateMemory;

  settled(): Promise<void> {
    return this.rounds.settled();
  }

  close(): Promise<void> {
    return this.rounds.close();
  }

  /** Whether the book has a reading: nothing may be written before its first. */
  abstract isRead(): boolean;
  /** One reading; `signal` is aborted when the guard ends. */
  protected abstract round(seen: Observed, signal: AbortSignal, atMs: number): Promise<void>;
}
