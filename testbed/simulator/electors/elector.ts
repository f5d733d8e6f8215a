import type { Cancel, Draws, ObjectClient, StoredObject } from '../model.js';
import { leaseWith, microTime, recordOf, sameRecord, type LeaseRecord } from './lease-record.js';

export interface ElectionTimings {
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

export interface ElectorOptions {
  readonly lock: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly timings: ElectionTimings;
  /** Which lease duration a waiting candidate applies: its own, or the one in the record. */
  readonly expiryBy: 'own' | 'record';
  /** Whether a holder renews by overwriting the Lease that it last wrote, without reading it first. */
  readonly writesBlindly: boolean;
  readonly client: ObjectClient;
  readonly draws: Draws;
  /** The process's own timers: they stand still while it is paused. */
  readonly timers: { nowMs(): number; schedule(delayMs: number, run: () => void): Cancel };
  readonly onLead: () => void;
  readonly onLost: () => void;
}

/** A waiting candidate sleeps retry × (1 + unit × this). Source: client-go leaderelection.go `JitterFactor`. */
const JITTER = 1.2;

/**
 * One leader election as client-go runs it (tools/leaderelection/leaderelection.go): a candidate counts expiry from
 * its own first observation of a record, an empty holder is taken at the next poll, and nothing is released on exit.
 */
export class Elector {
  private readonly options: ElectorOptions;
  private observed: LeaseRecord | null = null;
  private observedAtMs = 0;
  private lastWritten: StoredObject | null = null;
  private leads = false;
  /** How often it renewed by reading first (client-go counts this since 0.30, after a failed fast path). */
  slowPaths = 0;

  constructor(options: ElectorOptions) {
    this.options = options;
  }

  get holds(): boolean {
    return this.leads;
  }

  /** Attempts at once, then polls until it leads. */
  readonly acquire = (): void => {
    const { timings, draws, timers } = this.options;
    if (this.tryAcquireOrRenew()) {
      this.leads = true;
      timers.schedule(0, this.renew);
      this.options.onLead();
      return;
    }
    timers.schedule(timings.retryMs * (1 + draws.unit() * JITTER), this.acquire);
  };

  /** One renew cycle: retries until the renew deadline, counted from the start of the cycle. */
  private readonly renew = (): void => {
    this.renewBefore(this.options.timers.nowMs() + this.options.timings.renewDeadlineMs);
  };

  private renewBefore(deadlineMs: number): void {
    const { timings, timers } = this.options;
    const leftMs = deadlineMs - timers.nowMs();
    if (leftMs <= 0) {
      this.leads = false;
      this.options.onLost();
    } else if (this.tryAcquireOrRenew()) {
      timers.schedule(timings.retryMs, this.renew);
    } else {
      timers.schedule(Math.min(timings.retryMs, leftMs), () => {
        this.renewBefore(deadlineMs);
      });
    }
  }

  private tryAcquireOrRenew(): boolean {
    return this.renewBlindly() || this.readThenWrite();
  }

  /** The fast path. A conflict only means that another process wrote; the slow path then reads what it wrote. */
  private renewBlindly(): boolean {
    const { observed, lastWritten, leads } = this;
    if (!this.options.writesBlindly || !leads || observed === null || lastWritten === null)
      return false;
    if (!this.isValid(observed)) return false;
    const next = { ...this.freshRecord(observed.transitions), acquireTime: observed.acquireTime };
    return this.write(next, lastWritten);
  }

  private readThenWrite(): boolean {
    const { client, lock } = this.options;
    const answer = client.get({ resource: 'leases', ...lock });
    if (!answer.ok) return answer.code === 404 && this.write(this.freshRecord(0), undefined);
    const current = recordOf(answer.object);
    this.observe(current);
    const isMine = current.holder === this.options.identity;
    if (current.holder !== '' && !isMine && this.isValid(current)) return false;
    if (isMine) this.slowPaths += 1;
    const next = isMine
      ? { ...this.freshRecord(current.transitions), acquireTime: current.acquireTime }
      : this.freshRecord(current.transitions + 1);
    return this.write(next, answer.object);
  }

  private observe(record: LeaseRecord): void {
    if (this.observed !== null && sameRecord(this.observed, record)) return;
    this.observed = record;
    this.observedAtMs = this.options.timers.nowMs();
  }

  private isValid(record: LeaseRecord): boolean {
    const { expiryBy, timings, timers } = this.options;
    const durationMs = expiryBy === 'own' ? timings.leaseMs : record.durationSeconds * 1000;
    return this.observedAtMs + durationMs > timers.nowMs();
  }

  private freshRecord(transitions: number): LeaseRecord {
    const now = microTime(this.options.timers.nowMs());
    return {
      holder: this.options.identity,
      durationSeconds: this.options.timings.leaseMs / 1000,
      acquireTime: now,
      renewTime: now,
      transitions,
    };
  }

  private write(record: LeaseRecord, current: StoredObject | undefined): boolean {
    const { client, lock } = this.options;
    const lease = leaseWith(lock, record, current);
    const answer =
      current === undefined ? client.create('leases', lease) : client.update('leases', lease);
    this.lastWritten = answer.ok ? answer.object : null;
    if (!answer.ok) return false;
    this.observe(record);
    return true;
  }
}
