import type { Clock } from '../model.js';
import { exponentialEdges, MetricHistogram } from './histogram.js';

/** Source: CB metrics/prometheus/workqueue/metrics.go, v0.21.14 to v0.36.6. */
const QUEUE_EDGES = exponentialEdges(10e-9, 10, 10);

export interface WorkQueueOptions {
  readonly timers: Clock;
  /** The first delay of a failed key and the longest; each failure in a row doubles it. */
  readonly backOffMs: { readonly first: number; readonly longest: number };
  /** Treats a key and then tells once whether it failed. */
  readonly treat: (key: string, done: (failed: boolean) => void) => void;
}

/**
 * client-go's rate-limited work queue with one worker: a key waits once however often it is added, and one that is
 * added while it is treated is treated again. Failures are counted in the process alone, so that a new process begins
 * with the first delay. Source: CG util/workqueue/{queue,metrics,default_rate_limiters}.go v0.30.14.
 */
export class WorkQueue {
  readonly waited = new MetricHistogram(QUEUE_EDGES);
  readonly worked = new MetricHistogram(QUEUE_EDGES);
  adds = 0;
  retries = 0;
  private readonly options: WorkQueueOptions;
  private readonly ready = new Set<string>();
  /** Keys to treat, with the moment of their adding: those in `ready`, and those added while they are treated. */
  private readonly addedMs = new Map<string, number>();
  private readonly inHand = new Map<string, number>();
  private readonly failures = new Map<string, number>();
  private working = false;

  constructor(options: WorkQueueOptions) {
    this.options = options;
  }

  get depth(): number {
    return this.addedMs.size;
  }

  readonly add = (key: string): void => {
    if (this.addedMs.has(key)) return;
    this.adds += 1;
    this.addedMs.set(key, this.options.timers.nowMs());
    if (!this.inHand.has(key)) this.ready.add(key);
    if (this.working) return;
    this.working = true;
    this.options.timers.schedule(0, this.work);
  };

  /** Seconds that the keys in hand have been treated for: all together, and the longest. */
  unfinished(nowMs: number): { readonly total: number; readonly longest: number } {
    const ages = [...this.inHand.values()].map((sinceMs) => (nowMs - sinceMs) / 1000);
    return { total: ages.reduce((sum, age) => sum + age, 0), longest: Math.max(0, ...ages) };
  }

  /** Treats key after key; what ends at once needs no timer. */
  private readonly work = (): void => {
    for (;;) {
      const next = this.ready.values().next();
      if (next.done === true) {
        this.working = false;
        return;
      }
      if (!this.treat(next.value)) return;
    }
  };

  /** Whether the key was done before this returned; else the work goes on when it is. */
  private treat(key: string): boolean {
    const nowMs = this.options.timers.nowMs();
    this.ready.delete(key);
    this.waited.observe((nowMs - (this.addedMs.get(key) ?? nowMs)) / 1000);
    this.addedMs.delete(key);
    this.inHand.set(key, nowMs);
    let state: 'treating' | 'later' | 'done' = 'treating';
    this.options.treat(key, (failed) => {
      this.finish(key, failed);
      if (state === 'later') this.work();
      state = 'done';
    });
    if (isDone(state)) return true;
    state = 'later';
    return false;
  }

  private finish(key: string, failed: boolean): void {
    const { timers } = this.options;
    const nowMs = timers.nowMs();
    if (failed) this.addLater(key);
    else this.failures.delete(key);
    this.worked.observe((nowMs - (this.inHand.get(key) ?? nowMs)) / 1000);
    this.inHand.delete(key);
    if (this.addedMs.has(key)) this.ready.add(key);
  }

  private addLater(key: string): void {
    const { timers, backOffMs } = this.options;
    const before = this.failures.get(key) ?? 0;
    this.failures.set(key, before + 1);
    this.retries += 1;
    timers.schedule(Math.min(backOffMs.first * 2 ** before, backOffMs.longest), () => {
      this.add(key);
    });
  }
}

/** Hides from the compiler that only a callback changes the state. */
function isDone(state: string): boolean {
  return state === 'done';
}
