import { type Measurement, unmeasured } from '../../domain/gates/samples/measurement.js';
import { type WantedMetric, sampleNames } from '../../domain/gates/samples/metric-families.js';
import {
  PROCESS_START,
  type ProcessScrape,
  scrapeFromPage,
} from '../../domain/gates/samples/process-scrape.js';
import { type PlaceScrapes, scrapesFromSeries } from '../../domain/gates/samples/time-series.js';
import type { Manager } from '../../domain/vocabulary.js';
import { failureTypeOf, plainMessage } from '../failures.js';
import type { CallOptions, NodeProcesses } from '../ports.js';
import type { MetricBatcher } from './metric-batcher.js';
import type { Match } from './raw-selector.js';

/**
 * The wanted metrics of a manager, read on its node: the process itself answers, and no other. A manager that cannot be read
 * is unmeasured with the failure's words; only a cancelled caller gets an error.
 */
export async function scrapeManager(
  processes: Pick<NodeProcesses, 'metrics'>,
  asked: {
    readonly node: string;
    readonly manager: Manager;
    readonly wanted: readonly WantedMetric[];
  },
  options: CallOptions & { readonly now: () => number },
): Promise<Measurement<ProcessScrape>> {
  const { node, manager, wanted } = asked;
  const place = `${manager} on ${node}`;
  const scrapedAtMs = options.now();
  return orUnmeasured(async () => {
    const page = await processes.metrics(node, manager, options);
    return page === null
      ? unmeasured(`${place}: no process serves metrics`)
      : scrapeFromPage(page, wanted, { place, scrapedAtMs });
  });
}

/** Scrapes by a server, with the time of that server where it tells it. */
export interface QueriedScrapes {
  readonly places: readonly PlaceScrapes[];
  readonly serverTimeMs: number | null;
}

/** Scrapes of a cluster's processes that a Prometheus made in the time before now; none at all is unmeasured. */
export async function queriedScrapes(
  batcher: MetricBatcher,
  asked: {
    readonly wanted: readonly WantedMetric[];
    readonly match: Match;
    readonly pastMs: number;
  },
  signal: AbortSignal,
): Promise<Measurement<QueriedScrapes>> {
  const { wanted, match, pastMs } = asked;
  const names = [...sampleNames([...wanted, PROCESS_START]).keys()].sort();
  return orUnmeasured<QueriedScrapes>(async () => {
    const { kind, series, serverTimeMs } = await batcher.raw({ names, pastMs, match }, signal);
    if (kind !== 'raw') return unmeasured('the answer is calculated, and no scrapes');
    if (series.length === 0) return unmeasured('no scrapes of these metrics of this cluster');
    const found = scrapesFromSeries(series, wanted);
    return found.kind === 'unmeasured'
      ? found
      : { kind: 'measured', value: { places: found.value, serverTimeMs } };
  });
}

async function orUnmeasured<T>(read: () => Promise<Measurement<T>>): Promise<Measurement<T>> {
  try {
    return await read();
  } catch (error) {
    if (failureTypeOf(error) === null) throw error;
    return unmeasured(plainMessage(error));
  }
}
