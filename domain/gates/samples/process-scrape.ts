import { parseExposition } from './exposition.js';
import { type Measurement, measured, unmeasured } from './measurement.js';
import type { MetricFamilies, WantedMetric } from './metric-families.js';
import { pickedGauge } from './picked-values.js';

/** What one process exposed at one moment. */
export interface ProcessScrape {
  /** Where it was read: `kcm on cp-1`, or the labels of a scraped target. */
  readonly place: string;
  /** With the place it names one process. */
  readonly startedAtMs: number;
  readonly scrapedAtMs: number;
  readonly families: MetricFamilies;
}

/** Unix time in seconds at which a process started; every Kubernetes component exposes it. */
const PROCESS_START: WantedMetric = { name: 'process_start_time_seconds', type: 'gauge' };

/**
 * The wanted metrics of a scraped page. Unmeasured without a process to count by, and where the exporter gives its samples
 * different times: then they are no single state of it.
 */
export function scrapeFromPage(
  text: string,
  wanted: readonly WantedMetric[],
  { place, scrapedAtMs }: Pick<ProcessScrape, 'place' | 'scrapedAtMs'>,
): Measurement<ProcessScrape> {
  const page = parseExposition(text, [...wanted, PROCESS_START]);
  if (page.kind === 'refused') return unmeasured(`${place}: ${page.why}`);
  const [atMs = scrapedAtMs, ...others] = page.timestamps;
  if (others.length > 0) return unmeasured(`${place}: its samples have different timestamps`);
  return scrapeOf(place, atMs, page.families);
}

/** The scrape that these metrics are, if they say which process exposed them. */
function scrapeOf(
  place: string,
  scrapedAtMs: number,
  families: MetricFamilies,
): Measurement<ProcessScrape> {
  const start = pickedGauge(families, { metric: PROCESS_START.name });
  if (start.kind === 'unmeasured') return unmeasured(`${place}: ${start.why}`);
  return start.value > 0
    ? measured({ place, startedAtMs: Math.round(start.value * 1000), scrapedAtMs, families })
    : unmeasured(`${place}: a process did not start at ${start.value}`);
}
