import type { Cancel, Clock } from '../model.js';
import type { ProcessClock } from '../loops/loop-context.js';

/**
 * A process's timers. Nothing runs while the process is stopped by a signal. When it resumes, everything that came
 * due meanwhile runs at once, in order, because its monotonic clock went on. All timers end with the process.
 */
export class ProcessTimers implements ProcessClock {
  private readonly clock: Clock;
  private readonly pending = new Set<Cancel>();
  private readonly overdue: (() => void)[] = [];
  private state: 'running' | 'paused' | 'ended' = 'running';

  constructor(clock: Clock) {
    this.clock = clock;
  }

  nowMs(): number {
    return this.clock.nowMs();
  }

  schedule(delayMs: number, run: () => void): Cancel {
    if (this.state === 'ended') return () => undefined;
    const cancel = this.clock.schedule(delayMs, () => {
      this.pending.delete(cancel);
      if (this.state === 'paused') this.overdue.push(run);
      else run();
    });
    this.pending.add(cancel);
    return () => {
      this.pending.delete(cancel);
      cancel();
    };
  }

  pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    for (const run of this.overdue.splice(0)) if (this.isRunning()) run();
  }

  end(): void {
    this.state = 'ended';
    for (const cancel of this.pending) cancel();
    this.pending.clear();
    this.overdue.length = 0;
  }

  private isRunning(): boolean {
    return this.state === 'running';
  }
}
