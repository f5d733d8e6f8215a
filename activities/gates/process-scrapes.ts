import { type Measurement, unmeasured } from '../../domain/gates/samples/measurement.js';
import type { WantedMetric } from '../../domain/gates/samples/metric-families.js';
import { type ProcessScrape, scrapeFromPage } from '../../domain/gates/samples/process-scrape.js';
import type { Manager } from '../../domain/vocabulary.js';
import type { CallOptions, NodeProcesses } from '../ports.js';
import { orUnmeasured } from './or-unmeasured.js';

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
