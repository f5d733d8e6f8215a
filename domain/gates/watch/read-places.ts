import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import { availability } from '../catalogue/gate-catalogue.js';
import { type Measurement, measured, unmeasured } from '../samples/measurement.js';
import type { MetricFamilies } from '../samples/metric-families.js';
import type { ProcessScrape } from '../samples/process-scrape.js';
import type { GateRound, PlaceReading } from './gate-round.js';
import { isExposed } from './measured-values.js';
import { unseenText } from './unseen-places.js';

/** The pages of a round on which a gate's series are. */
export type PlacesOf =
  /** Those that have them; none where no controller of the kind runs anywhere. */
  | { readonly kind: 'exposed'; readonly scrapes: readonly ProcessScrape[] }
  /** The owner's page, readable and of a version that has them, lacks what was there before. */
  | { readonly kind: 'gone'; readonly why: string }
  | { readonly kind: 'unread'; readonly why: string };

/**
 * Sorts out on which pages a gate's series must be, are, or are missing. A page that cannot be read may hide harm, so the round
 * counts for no gate that it could serve. `known`: some page had the series before.
 */
export function placesOf(gate: CatalogueGate, round: GateRound, known: boolean): PlacesOf {
  const read: ReadPlace[] = [];
  for (const each of round.places.filter((place) => serves(gate, place))) {
    const { scrape } = each;
    if (scrape.kind === 'unmeasured') return { kind: 'unread', why: scrape.why };
    read.push({ ...each, scrape });
  }
  const exposed = read.filter(({ scrape }) => isExposed(scrape.value.families, gate.measure));
  const [unseen] = round.unseen;
  // Between two owners no manager serves it, which is known only where every node was seen.
  if (known && exposed.length === 0 && unseen !== undefined) {
    return { kind: 'unread', why: unseenText(unseen.node) };
  }
  const bare = read.find((each) => each.owns && !exposed.includes(each));
  if (known && exposed.length === 0 && bare !== undefined) {
    return { kind: 'gone', why: `${bare.place} owns and does not serve what was served before` };
  }
  return { kind: 'exposed', scrapes: exposed.map(({ scrape }) => scrape.value) };
}

/**
 * Whether a gate that no page served may stay so for now: a manager that has just been started listens some seconds later, and its
 * page is then the first of its kind. After the time that any gate may be unmeasured, it is.
 */
export function isStillAbsent(
  absentAtMs: number | undefined,
  { atMs }: GateRound,
  unmeasuredMs: number,
): boolean {
  return absentAtMs !== undefined && atMs - absentAtMs <= unmeasuredMs;
}

type ReadPlace = PlaceReading & {
  readonly scrape: { readonly kind: 'measured'; readonly value: ProcessScrape };
};

/** Releases whose source was not read may have the series: their page decides. So may whatever runs where nothing was seen. */
function serves(gate: CatalogueGate, { serving }: PlaceReading): boolean {
  return serving === null || availability(gate, serving).kind !== 'absent';
}

/** The values of all pages, each under its scrape; unmeasured if one of them is. */
export function valuesOf<T>(
  scrapes: readonly ProcessScrape[],
  read: (families: MetricFamilies) => Measurement<T>,
): Measurement<readonly { readonly scrape: ProcessScrape; readonly value: T }[]> {
  const values: { readonly scrape: ProcessScrape; readonly value: T }[] = [];
  for (const scrape of scrapes) {
    const found = read(scrape.families);
    if (found.kind === 'unmeasured') return unmeasured(`${scrape.place}: ${found.why}`);
    values.push({ scrape, value: found.value });
  }
  return measured(values);
}
