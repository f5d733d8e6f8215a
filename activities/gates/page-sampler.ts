import type { CatalogueGate } from '../../domain/gates/catalogue/catalogue-gate.js';
import { judgedCatalogue } from '../../domain/gates/catalogue/gate-catalogue.js';
import type { WantedMetric } from '../../domain/gates/samples/metric-families.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import { acknowledgedIn, addRound } from '../../domain/gates/watch/add-round.js';
import { EMPTY_BOOK, type GateBook } from '../../domain/gates/watch/gate-book.js';
import type { PlaceReading } from '../../domain/gates/watch/gate-round.js';
import { judgeBook } from '../../domain/gates/watch/judge-book.js';
import type { MetricGatePolicy } from '../../domain/policy.js';
import { type PagePlace, placesIn, setupOf, unseenNodes } from './gate-places.js';
import type { GateMemory, Observed, Sampling } from './gate-sampler.js';
import { scrapeManager } from './process-scrapes.js';
import { RoundSampler } from './round-sampler.js';
import { wantedBy } from './wanted-metrics.js';

/** Reads the metrics pages of all managers on their nodes. */
export class PageSampler extends RoundSampler<GateBook> {
  private readonly gates: readonly CatalogueGate[];
  private readonly wanted: readonly WantedMetric[];
  private source = '';

  constructor(sampling: Sampling, policy: MetricGatePolicy, before: GateBook = EMPTY_BOOK) {
    super(sampling, policy, before);
    this.gates = judgedCatalogue(policy);
    this.wanted = wantedBy(this.gates);
  }

  accepted(epoch: number, isAccepted: (gate: string) => boolean): void {
    this.current = acknowledgedIn(this.current, epoch, isAccepted);
  }

  verdicts(): readonly GateVerdict[] {
    const { clock } = this.sampling;
    const at = { nowMs: clock.nowMs(), source: this.source };
    return judgeBook(this.current, this.gates, this.policy, at);
  }

  book(): GateMemory {
    return { gates: this.current };
  }

  isRead(): boolean {
    return this.current.lastAtMs !== null;
  }

  protected async round(
    { observation, trace }: Observed,
    signal: AbortSignal,
    atMs: number,
  ): Promise<void> {
    const places = placesIn(observation, trace);
    const read = await Promise.all(places.map((place) => this.read(place, signal, atMs)));
    this.source = places.map(({ place }) => place).join(', ');
    const setup = setupOf(observation, trace);
    const round = { atMs, setup, places: read, unseen: unseenNodes(observation) };
    this.current = addRound(this.current, this.gates, round, this.policy);
  }

  private async read(
    { node, place, serving, owns }: PagePlace,
    signal: AbortSignal,
    atMs: number,
  ): Promise<PlaceReading> {
    const { ports, timings } = this.sampling;
    const scrape = await scrapeManager(
      ports.processes,
      { node, manager: serving.manager, wanted: this.wanted },
      { signal, timeoutMs: timings.requestMs, now: () => atMs },
    );
    return { node, place, serving, owns, scrape };
  }
}
