import {
  HISTOGRAM_EDGES,
  type CounterName,
  type HistogramName,
} from '../versions/served-metrics.js';
import { MetricHistogram } from './histogram.js';
import type { WorkQueue } from './work-queue.js';

/** What the controllers of one process have counted; which of it a version serves is the page's affair. */
export class ProcessMetrics {
  /** By the name that the label `name` carries. */
  readonly queues = new Map<string, WorkQueue>();
  private readonly counts = new Map<CounterName, number>();
  private readonly histograms = new Map<HistogramName, MetricHistogram>();

  count(name: CounterName): void {
    this.counts.set(name, this.counted(name) + 1);
  }

  counted(name: CounterName): number {
    return this.counts.get(name) ?? 0;
  }

  observe(name: HistogramName, seconds: number): void {
    this.histogram(name).observe(seconds);
  }

  histogram(name: HistogramName): MetricHistogram {
    const known = this.histograms.get(name);
    if (known !== undefined) return known;
    const fresh = new MetricHistogram(HISTOGRAM_EDGES[name]);
    this.histograms.set(name, fresh);
    return fresh;
  }
}
