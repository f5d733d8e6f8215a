import type { CatalogueGate } from '../../domain/gates/catalogue/catalogue-gate.js';
import { GATE_CATALOGUE } from '../../domain/gates/catalogue/gate-catalogue.js';
import type { WantedMetric } from '../../domain/gates/samples/metric-families.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import { acknowledgedIn, addRound } from '../../domain/gates/watch/add-round.js';
import { EMPTY_BOOK, type GateBook } from '../../domain/gates/watch/gate-book.js';
import { judgeBook } from '../../domain/gates/watch/judge-book.js';
import type { PlaceReading } from '../../domain/gates/watch/gate-round.js';
import { wantedFor } from '../../domain/gates/watch/measured-values.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { OwnershipTrace } from '../../domain/ownership/ownership-trace.js';
import type { MetricGatePolicy, RunTimings } from '../../domain/policy.js';
import type { ActivityClock, ActivityLog } from '../dependencies.js';
import { plainMessage } from '../failures.js';
import { onAbort } from '../on-abort.js';
import type { NodeProcesses } from '../ports.js';
import { type PagePlace, placesIn, setupOf } from './gate-places.js';
import { scrapeManager } from './process-scrapes.js';

/**
 * Samples the gates on metrics beside a guard's rounds, which must not wait for a page that hangs.
 */
export interface GateSampler {
  /**
   * Told of each observation: reads the pages of its managers when that is due. Returns at once, but for the very first reading:
   * nothing may be written before gates were measured.
   */
  observed(observation: ClusterObservation, trace: OwnershipTrace): Promise<void>;
  /** A new epoch: failures that were accepted for it are watched from their beginning. */
  accepted(epoch: number, isAccepted: (gate: string) => boolean): void;
  verdicts(): readonly GateVerdict[];
  /** For the next attempt; undefined where no gate is judged. */
  book(): GateBook | undefined;
  close(): Promise<void>;
}

interface Sampling {
  readonly processes: Pick<NodeProcesses, 'metrics'>;
  readonly clock: ActivityClock;
  readonly log: ActivityLog;
  readonly cluster: string;
  readonly policy: MetricGatePolicy | undefined;
  readonly timings: Pick<RunTimings, 'requestMs'>;
  readonly signal: AbortSignal;
  /** Called when some gate says something else than before. */
  readonly onNews: () => void;
}

export function openGateSampler(sampling: Sampling, before: GateBook | undefined): GateSampler {
  const { policy } = sampling;
  return policy === undefined || policy.catalogue === 'off'
    ? NO_GATES
    : new PageSampler(sampling, policy, before ?? EMPTY_BOOK);
}

const NO_GATES: GateSampler = {
  observed: () => Promise.resolve(),
  accepted: () => undefined,
  verdicts: () => [],
  book: () => undefined,
  close: () => Promise.resolve(),
};

/** The catalogue's gates that a policy has judged. */
function judgedGates({ except }: MetricGatePolicy): readonly CatalogueGate[] {
  return GATE_CATALOGUE.filter(({ name }) => !except.includes(name));
}

class PageSampler implements GateSampler {
  private readonly sampling: Sampling;
  private readonly policy: MetricGatePolicy;
  private readonly gates: readonly CatalogueGate[];
  private readonly wanted: readonly WantedMetric[];
  private readonly end = new AbortController();
  private readonly leave: () => void;
  private current: GateBook;
  private source = '';
  private begunAtMs = -Infinity;
  private running: Promise<void> | null = null;

  constructor(sampling: Sampling, policy: MetricGatePolicy, before: GateBook) {
    this.sampling = sampling;
    this.policy = policy;
    this.gates = judgedGates(policy);
    this.wanted = distinct(this.gates.flatMap(({ measure }) => wantedFor(measure)));
    this.current = before;
    this.leave = onAbort(sampling.signal, () => {
      this.end.abort(sampling.signal.reason);
    });
  }

  async observed(observation: ClusterObservation, trace: OwnershipTrace): Promise<void> {
    const nowMs = this.sampling.clock.nowMs();
    if (this.running === null && nowMs - this.begunAtMs >= this.policy.everyMs) {
      this.begunAtMs = nowMs;
      this.running = this.round(observation, trace, nowMs).finally(() => {
        this.running = null;
      });
    }
    if (this.current.lastAtMs === null) await this.running;
  }

  accepted(epoch: number, isAccepted: (gate: string) => boolean): void {
    this.current = acknowledgedIn(this.current, epoch, isAccepted);
  }

  verdicts(): readonly GateVerdict[] {
    const { clock } = this.sampling;
    const at = { nowMs: clock.nowMs(), source: this.source };
    return judgeBook(this.current, this.gates, this.policy, at);
  }

  book(): GateBook {
    return this.current;
  }

  async close(): Promise<void> {
    this.leave();
    this.end.abort(new Error('the guard ends'));
    await this.running;
  }

  private async round(
    observation: ClusterObservation,
    trace: OwnershipTrace,
    atMs: number,
  ): Promise<void> {
    const { log, cluster, onNews } = this.sampling;
    const said = newsOf(this.verdicts());
    const places = placesIn(observation, trace);
    try {
      const read = await Promise.all(places.map((place) => this.read(place, atMs)));
      this.source = places.map(({ place }) => place).join(', ');
      const round = { atMs, setup: setupOf(observation, trace), places: read };
      this.current = addRound(this.current, this.gates, round, this.policy);
    } catch (error) {
      // A guard that ends gives its requests up.
      if (this.end.signal.aborted) return;
      log.warn('a round of the gates failed', { cluster, error: plainMessage(error) });
    }
    if (newsOf(this.verdicts()) !== said) onNews();
  }

  private async read(
    { node, place, serving, owns }: PagePlace,
    atMs: number,
  ): Promise<PlaceReading> {
    const { processes, timings } = this.sampling;
    const scrape = await scrapeManager(
      processes,
      { node, manager: serving.manager, wanted: this.wanted },
      { signal: this.end.signal, timeoutMs: timings.requestMs, now: () => atMs },
    );
    return { place, serving, owns, scrape };
  }
}

function newsOf(verdicts: readonly GateVerdict[]): string {
  return verdicts.map(({ gate, verdict, noted }) => `${gate} ${verdict} ${String(noted)}`).join();
}

/** Several gates read the same metric. */
function distinct(wanted: readonly WantedMetric[]): readonly WantedMetric[] {
  return [...new Map(wanted.map((each) => [each.name, each])).values()];
}
