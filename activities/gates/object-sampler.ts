import {
  afterOwner,
  afterReading,
  EMPTY_WATCH,
  judgeObjectWatch,
  needsSuccesses,
  type ObjectWatch,
  type SeenOwner,
  singleManager,
} from '../../domain/gates/objects/object-watch.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { MetricGatePolicy } from '../../domain/policy.js';
import { readObjects } from '../observe/read-objects.js';
import type { GateMemory, Observed, Sampling } from './gate-sampler.js';
import { RoundSampler } from './round-sampler.js';

/** Reads Services, Nodes and the Events of the cloud controllers. */
export class ObjectSampler extends RoundSampler<ObjectWatch> {
  constructor(sampling: Sampling, policy: MetricGatePolicy, before: ObjectWatch = EMPTY_WATCH) {
    super(sampling, policy, before);
  }

  override async observed(seen: Observed): Promise<void> {
    const { handoverAtMs } = this.current;
    this.current = afterOwner(this.current, ownerIn(seen));
    if (this.current.handoverAtMs !== handoverAtMs) this.rounds.hurry();
    await super.observed(seen);
  }

  accepted(): void {
    // No evidence is kept that could begin again: an object passes as soon as it works, and what fails is skipped by name.
  }

  verdicts(): readonly GateVerdict[] {
    return judgeObjectWatch(this.current, this.policy, this.sampling.clock.nowMs());
  }

  book(): GateMemory {
    return { objects: this.current };
  }

  isRead(): boolean {
    return this.current.readAtMs !== null;
  }

  protected async round(_seen: Observed, signal: AbortSignal, atMs: number): Promise<void> {
    const { ports, timings } = this.sampling;
    const successes = needsSuccesses(this.current) ? 'always' : 'whereFailing';
    const asked = { signal, timeoutMs: timings.requestMs, successes } as const;
    const reading = await readObjects(ports.api, asked);
    this.current = afterReading(this.current, reading, atMs);
  }
}

/** The holder of the Lease that made it the owner is its own process, so the latest Lease of that holder counts. */
function ownerIn({ trace, leases, observation, serverTimeMs }: Observed): SeenOwner {
  const manager = singleManager(trace);
  const holders = observation.nodes
    .flatMap(({ kcm, ccm }) => (manager === 'ccm' ? ccm : kcm).processes)
    .map(({ identity }) => identity);
  const times = leases
    .filter(({ holder }) => holder !== '' && holders.includes(holder))
    .flatMap(({ acquiredAtMs }) => acquiredAtMs ?? []);
  return {
    manager,
    acquiredAtMs: times.length === 0 ? null : Math.max(...times),
    serverTimeMs,
  };
}
