import type { GateVerdict } from '../../domain/gates/verdicts.js';
import { plainMessage } from '../failures.js';
import { onAbort } from '../on-abort.js';
import type { Sampling } from './gate-sampler.js';

/** One kind of readings of a sampler. */
interface Rounds {
  readonly everyMs: number;
  /** Only for requests of the round: aborted when the guard ends. */
  round(signal: AbortSignal, atMs: number): Promise<void>;
  verdicts(): readonly GateVerdict[];
}

/** Runs one reading at a time beside the guard, as often as policy says, and tells when a gate says something else. */
export class SamplerRounds {
  private readonly sampling: Sampling;
  private readonly end = new AbortController();
  private readonly leave: () => void;
  private begunAtMs = -Infinity;
  private running: Promise<void> | null = null;

  constructor(sampling: Sampling) {
    this.sampling = sampling;
    this.leave = onAbort(sampling.signal, () => {
      this.end.abort(sampling.signal.reason);
    });
  }

  /** The reading that is under way, or that is due and begins now; null when none is. */
  next(rounds: Rounds): Promise<void> | null {
    const nowMs = this.sampling.clock.nowMs();
    if (this.running === null && nowMs - this.begunAtMs >= rounds.everyMs) {
      this.begunAtMs = nowMs;
      this.running = this.run(rounds, nowMs).finally(() => {
        this.running = null;
      });
    }
    return this.running;
  }

  /** Makes the next reading due. */
  hurry(): void {
    this.begunAtMs = -Infinity;
  }

  async settled(): Promise<void> {
    await this.running;
  }

  async close(): Promise<void> {
    this.leave();
    this.end.abort(new Error('the guard ends'));
    await this.running;
  }

  private async run(rounds: Rounds, nowMs: number): Promise<void> {
    const { log, cluster, onNews } = this.sampling;
    const said = newsOf(rounds.verdicts());
    try {
      await rounds.round(this.end.signal, nowMs);
    } catch (error) {
      // A guard that ends gives its requests up.
      if (this.end.signal.aborted) return;
      log.warn('a round of the gates failed', { cluster, error: plainMessage(error) });
    }
    if (newsOf(rounds.verdicts()) !== said) onNews();
  }
}

function newsOf(verdicts: readonly GateVerdict[]): string {
  return verdicts.map(({ gate, verdict, noted }) => `${gate} ${verdict} ${String(noted)}`).join();
}
